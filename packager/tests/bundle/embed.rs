//! Agents that embed what was built.

use crate::work::Work;

const AGENT: &str = "[agent]\nname = \"acme\"\nversion = \"1.0.0\"\n";

#[test]
fn an_agent_has_the_same_bytes_from_the_zip_and_from_the_project() {
    let work = Work::usual("");
    work.compile_into("classes");
    work.build().ok();
    work.write("by-path/agent.toml", format!("{AGENT}[[extension]]\npath = \"..\"\n"));
    let zip = "target/extension/acme-metrics-1.2.0-extension.zip";
    work.write("by-file/agent.toml", format!("{AGENT}[[extension]]\nfile = \"../{zip}\"\n"));
    work.write("by-id/agent.toml", format!("{AGENT}[discover]\nmembers = [\"e\"]\ndefault = [\"acme-metrics\"]\n"));
    fs_err::create_dir_all(work.path("by-id/e")).unwrap();
    fs_err::copy(work.path("extension.toml"), work.path("by-id/e/extension.toml")).unwrap();
    fixtures::unzip(&work.api(), &work.path("by-id/e/out")).unwrap();
    fixtures::unzip(&work.implementation(), &work.path("by-id/e/out")).unwrap();
    let agents = ["by-path", "by-file", "by-id"].map(|folder| {
        work.fatagent(&["build", "--file", &format!("{folder}/agent.toml")]).ok();
        fs_err::read(work.path(&format!("{folder}/acme.jar"))).unwrap()
    });
    assert!(agents[0] == agents[1], "the agent differs with `path`");
    assert!(agents[0] == agents[2], "the agent differs with `[discover]`");
}
