//! The configuration of a server, from the file to the values.

use std::path::{Path, PathBuf};
use std::time::Duration;

use config::{Config, ConfigError, Reason};

#[test]
fn the_server_is_set_up() -> Result<(), ConfigError> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/server.conf");
    let config = Config::load(path)?;

    assert_eq!(config.get::<String>("name")?, "attic");
    assert_eq!(
        config.get::<PathBuf>("paths.log")?,
        Path::new("/srv/attic/log")
    );
    assert_eq!(config.get::<u16>("http.port")?, 8080);
    assert_eq!(
        config.get::<Duration>("http.timeout")?,
        Duration::from_secs(30)
    );
    assert_eq!(config.get::<Vec<u32>>("http.allow")?, [10, 20, 30]);
    assert_eq!(config.text("http.greeting"), Some("Welcome to room #4"));
    assert!(!config.get::<bool>("mail.enabled")?);
    Ok(())
}

#[test]
fn later_files_win() -> Result<(), ConfigError> {
    let defaults: Config = "port = 80\nhost = localhost".parse()?;
    let local: Config = "port = 8080 # behind a proxy".parse()?;
    let config = defaults.overlaid_by(local);
    assert_eq!(config.keys().collect::<Vec<_>>(), ["host", "port"]);
    assert_eq!(config.get::<u16>("port")?, 8080);
    Ok(())
}

#[test]
fn mistakes_are_named_with_their_line() {
    let reason = |text: &str| text.parse::<Config>().map_err(|e| (e.line, e.reason));
    assert_eq!(reason("a = 1\nb"), Err((2, Reason::Form)));
    assert_eq!(reason(r#"a = "\q""#), Err((1, Reason::Escape('q'))));
    assert_eq!(reason("a = ${b"), Err((1, Reason::OpenVariable)));
    assert_eq!(
        reason("\n[s]\na = ${b}"),
        Err((3, Reason::Missing("b".into())))
    );
}
