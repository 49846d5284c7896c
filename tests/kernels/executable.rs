//! This program's own file: its functions and their instructions.

use iced_x86::{Decoder, DecoderOptions, Instruction, Mnemonic, OpKind};
use object::{Object, ObjectSection, ObjectSymbol};
use thalweg_engine::flow::versions::versions;

/// Scalar arithmetic, and lanes put into vectors one at a time.
const SCALARS: [Mnemonic; 6] = [
    Mnemonic::Vaddss,
    Mnemonic::Vsubss,
    Mnemonic::Vmulss,
    Mnemonic::Vdivss,
    Mnemonic::Vsqrtss,
    Mnemonic::Vinsertps,
];

/// The functions of this program.
pub struct Executable {
    functions: Vec<Function>,
    /// Where the file is loaded, over the addresses that it names.
    loaded_at: u64,
}

struct Function {
    name: String,
    address: u64,
    code: Vec<u8>,
}

/// The step of a method in a version.
pub struct Kernel<'a> {
    /// Name of the symbol.
    pub name: &'a str,
    instructions: Vec<Instruction>,
}

impl Executable {
    /// Reads the file that this program runs from.
    pub fn own() -> Self {
        let path = std::env::current_exe().expect("this program has a file");
        let bytes = std::fs::read(path).expect("the file is readable");
        let file = object::File::parse(&*bytes).expect("the file is one of the system");
        let code = |symbol: &object::Symbol<'_, '_>| {
            let section = file.section_by_index(symbol.section_index()?).ok()?;
            let code = section.data_range(symbol.address(), symbol.size()).ok()??;
            Some(Function {
                name: symbol.name().ok()?.to_owned(),
                address: symbol.address(),
                code: code.to_vec(),
            })
        };
        let is_function = |symbol: &object::Symbol<'_, '_>| {
            symbol.kind() == object::SymbolKind::Text && symbol.size() > 0
        };
        let functions: Vec<_> =
            file.symbols().filter(is_function).filter_map(|symbol| code(&symbol)).collect();
        // A function whose place in memory is known.
        let known = functions.iter().find(|function| function.name.contains("8versions8versions"));
        let known = known.expect("a release build keeps its symbols").address;
        let loaded_at = (versions as fn() -> Vec<_> as usize as u64).wrapping_sub(known);
        Self { functions, loaded_at }
    }

    /// The kernel behind a pointer to a step, which only jumps there or calls it.
    pub fn kernel(&self, step: usize) -> Kernel<'_> {
        let entry = self.at((step as u64).wrapping_sub(self.loaded_at)).expect("steps are here");
        let called = calls(&instructions(entry)).into_iter().filter_map(|at| self.at(at));
        let compiled = called.into_iter().find(|function| function.name.contains("8compiled"));
        let function = compiled.expect("a step calls what is compiled for its instruction set");
        let instructions = instructions(function);
        Kernel { name: &function.name, instructions }
    }

    fn at(&self, address: u64) -> Option<&Function> {
        self.functions.iter().find(|function| function.address == address)
    }
}

impl Kernel<'_> {
    /// How many of its instructions compute with one number.
    pub fn scalars(&self) -> usize {
        let is_scalar = |one: &&Instruction| SCALARS.contains(&one.mnemonic());
        self.instructions.iter().filter(is_scalar).count()
    }
}

fn instructions(function: &Function) -> Vec<Instruction> {
    Decoder::with_ip(64, &function.code, function.address, DecoderOptions::NONE).iter().collect()
}

/// Where calls and jumps lead.
fn calls(instructions: &[Instruction]) -> Vec<u64> {
    let is_near = |one: &&Instruction| {
        let leads = matches!(one.mnemonic(), Mnemonic::Call | Mnemonic::Jmp);
        leads && one.op0_kind() == OpKind::NearBranch64
    };
    instructions.iter().filter(is_near).map(Instruction::near_branch_target).collect()
}
