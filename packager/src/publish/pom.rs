//! The description of a component, which Maven reads before anything else.

use manifests::agent_toml::Coordinates;

use super::artifact::Component;
use crate::error::Result;
use crate::xml::Element;

/// The namespace, which is also where Maven looks for the schema.
const NAMESPACE: &str = "http://maven.apache.org/POM/4.0.0";

/// What a description may say beside the coordinates; repositories that are open to all want each of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct About {
    /// Name for people.
    pub name: Option<String>,
    /// Description.
    pub description: Option<String>,
    /// Page of the project.
    pub url: Option<String>,
    /// Name of the licence, an SPDX identifier.
    pub license: Option<String>,
    /// Name of the developer or the organization.
    pub developer: Option<String>,
    /// URL of the sources.
    pub scm: Option<String>,
}

impl About {
    /// What is not said and would have to be in a repository that is open to all, with the option for it.
    pub(crate) fn missing(&self) -> impl Iterator<Item = &'static str> + '_ {
        let all = [
            (&self.description, "a description (`--description`)"),
            (&self.url, "the project's page (`--url`)"),
            (&self.license, "a licence (`--license`)"),
            (&self.developer, "a developer (`--developer`)"),
            (&self.scm, "the sources' repository (`--scm`)"),
        ];
        all.into_iter().filter(|(said, _)| said.is_none()).map(|(_, what)| what)
    }
}

/// What the description of one component says.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pom {
    pub(crate) packaging: &'static str,
    pub(crate) about: About,
    pub(crate) dependencies: Vec<Coordinates>,
}

/// The description of a component: the same bytes for the same component.
pub(crate) fn write(component: &Component) -> Result<Vec<u8>> {
    let Pom { packaging, about, dependencies } = &component.pom;
    let mut project = Element::new("project")
        .attribute("xmlns", NAMESPACE)
        .attribute("xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance")
        .attribute("xsi:schemaLocation", &format!("{NAMESPACE} https://maven.apache.org/xsd/maven-4.0.0.xsd"));
    project.push("modelVersion", "4.0.0");
    project.push("groupId", &component.group);
    project.push("artifactId", &component.artifact);
    project.push("version", &component.version);
    project.push("packaging", packaging);
    for (name, value) in [("name", &about.name), ("description", &about.description), ("url", &about.url)] {
        if let Some(value) = value {
            project.push(name, value);
        }
    }
    if let Some(license) = &about.license {
        project.child_mut("licenses").child_mut("license").push("name", license);
    }
    if let Some(developer) = &about.developer {
        project.child_mut("developers").child_mut("developer").push("name", developer);
    }
    if let Some(scm) = &about.scm {
        let element = project.child_mut("scm");
        element.push("connection", &format!("scm:git:{scm}"));
        element.push("url", scm);
    }
    for dependency in dependencies {
        let mut element = Element::new("dependency");
        element.push("groupId", &dependency.group);
        element.push("artifactId", &dependency.artifact);
        element.push("version", &dependency.version);
        if let Some(kind) = &dependency.kind {
            element.push("type", kind);
        }
        if let Some(classifier) = &dependency.classifier {
            element.push("classifier", classifier);
        }
        project.child_mut("dependencies").children.push(element);
    }
    Ok(project.to_document()?)
}
