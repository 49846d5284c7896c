//! A real browser for tests of pages: Chromium, driven by its DevTools protocol over loopback.
//!
//! Chromium is looked for on the PATH (`chromium`, `chromium-browser`, `google-chrome`) or named by
//! the variable CHROMIUM.

use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use std::{env, fs};

use serde_json::{Value, json};
use tempfile::TempDir;
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

/// How long the browser may take for anything, on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A window onto a page.
#[derive(Debug, Clone, Copy)]
pub struct Window {
    /// Width and height, CSS pixels.
    pub size: (u32, u32),
    /// True for dark colours.
    pub is_dark: bool,
    /// True if scripts run.
    pub has_scripts: bool,
}

/// A running Chromium with one page.
pub struct Browser {
    process: Child,
    socket: WebSocket<MaybeTlsStream<TcpStream>>,
    session: String,
    calls: u64,
    /// Deleted with the browser.
    _profile: TempDir,
}

/// Where Chromium lies, if it does.
fn chromium() -> Option<PathBuf> {
    if let Some(named) = env::var_os("CHROMIUM") {
        return Some(named.into());
    }
    let folders: Vec<PathBuf> = env::split_paths(&env::var_os("PATH")?).collect();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let mut places =
        names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    places.find(|place| place.is_file())
}

impl Browser {
    /// Starts the browser; prints why and returns `None` where there is none.
    pub fn start() -> Option<Self> {
        let Some(program) = chromium() else {
            println!("skipped: no chromium");
            return None;
        };
        let profile = tempfile::tempdir().expect("temporary folder");
        let mut profile_option = std::ffi::OsString::from("--user-data-dir=");
        profile_option.push(profile.path());
        let process = Command::new(program)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--remote-debugging-port=0",
            ])
            .arg(profile_option)
            .arg("about:blank")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the browser starts");
        let address = address(profile.path());
        let (socket, _) = tungstenite::connect(address).expect("the browser listens");
        let session = String::new();
        let mut browser = Self { process, socket, session, calls: 0, _profile: profile };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        let asked = json!({"targetId": target["targetId"], "flatten": true});
        let attached = browser.call("Target.attachToTarget", asked);
        browser.session = attached["sessionId"].as_str().expect("a session").to_owned();
        Some(browser)
    }

    /// Calls a method of the protocol.
    #[track_caller]
    pub fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.calls += 1;
        let mut call = json!({"id": self.calls, "method": method, "params": parameters});
        if !self.session.is_empty() {
            call["sessionId"] = json!(self.session);
        }
        self.socket.send(Message::text(call.to_string())).expect("the browser runs");
        loop {
            let Message::Text(text) = self.socket.read().expect("the browser answers") else {
                continue;
            };
            let mut answer: Value = serde_json::from_str(&text).expect("JSON");
            if answer["id"] == self.calls {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].take();
            }
        }
    }

    /// Opens a page in a window, and waits until it is there.
    #[track_caller]
    pub fn open(&mut self, page: &Path, fragment: &str, window: Window) {
        let Window { size: (width, height), is_dark, has_scripts } = window;
        let metrics = json!({"width": width, "height": height, "deviceScaleFactor": 1,
            "mobile": width < 500});
        self.call("Emulation.setDeviceMetricsOverride", metrics);
        let scheme = if is_dark { "dark" } else { "light" };
        let colours = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        self.call("Emulation.setEmulatedMedia", json!({"media": "", "features": colours}));
        self.call("Emulation.setScriptExecutionDisabled", json!({"value": !has_scripts}));
        self.call("Page.navigate", json!({"url": "about:blank"}));
        let url = format!("file://{}#{fragment}", page.display());
        self.call("Page.navigate", json!({"url": url}));
        let done = match has_scripts {
            true => "['ready', 'failed'].includes(document.documentElement?.dataset.state)",
            false => "document.readyState === 'complete' && location.protocol === 'file:'",
        };
        self.wait_for(done);
    }

    /// Waits until an expression is true, and the page drawn.
    #[track_caller]
    pub fn wait_for(&mut self, expression: &str) {
        let start = Instant::now();
        while self.evaluate(expression) != json!(true) {
            assert!(start.elapsed() < PATIENCE, "the page never came to: {expression}");
            sleep(Duration::from_millis(50));
        }
    }

    /// The value of an expression in the page.
    #[track_caller]
    pub fn evaluate(&mut self, expression: &str) -> Value {
        let asked = json!({"expression": expression, "returnByValue": true});
        let mut answer = self.call("Runtime.evaluate", asked);
        let trouble = &answer["exceptionDetails"];
        assert!(trouble.is_null(), "{trouble}");
        answer["result"]["value"].take()
    }

    /// Presses and releases a key, as `KeyboardEvent.key` names it.
    pub fn press(&mut self, key: &str) {
        let code = match key {
            "Tab" => 9,
            "Enter" => 13,
            "ArrowLeft" => 37,
            "ArrowRight" => 39,
            _ => 0,
        };
        let mut event = json!({"type": "keyDown", "key": key, "windowsVirtualKeyCode": code});
        if key.len() == 1 {
            event["text"] = json!(key);
        } else if key == "Enter" {
            event["text"] = json!("\r");
        }
        self.call("Input.dispatchKeyEvent", event.clone());
        event["type"] = json!("keyUp");
        self.call("Input.dispatchKeyEvent", event);
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The browser ends with all its processes when asked, by a number that it can read; a stuck
        // one is killed.
        let close = json!({"id": self.calls + 1, "method": "Browser.close"});
        let _ = self.socket.send(Message::text(close.to_string()));
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(10) {
            if let Ok(Some(_)) = self.process.try_wait() {
                return;
            }
            sleep(Duration::from_millis(20));
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Where the browser of a profile listens, once it does.
fn address(profile: &Path) -> String {
    let start = Instant::now();
    loop {
        let text = fs::read_to_string(profile.join("DevToolsActivePort")).unwrap_or_default();
        if let [port, path] = text.lines().collect::<Vec<_>>()[..] {
            return format!("ws://127.0.0.1:{port}{path}");
        }
        assert!(start.elapsed() < PATIENCE, "the browser does not listen");
        sleep(Duration::from_millis(50));
    }
}
