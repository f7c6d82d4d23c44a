//! Profiles and properties: settings under the library's own names, over its defaults.

use std::collections::BTreeMap;
use std::str::FromStr;
use std::time::Duration;

use crate::Refusal;
use crate::contract::Start;

/// A named configuration.
pub struct Profile {
    pub name: &'static str,
    pub set: Settings,
    /// It has no meaning for a role that writes no records.
    pub writing: bool,
}

/// Settings by the library's names.
type Settings = &'static [(&'static str, &'static str)];

impl Profile {
    /// A profile of every role.
    pub const fn of_any(name: &'static str, set: Settings) -> Self {
        Self { name, set, writing: false }
    }

    /// A profile of roles that write records.
    pub const fn of_writers(name: &'static str, set: Settings) -> Self {
        Self { name, set, writing: true }
    }
}

/// Returns the profile of an instance.
///
/// # Errors
/// Unsupported if there is none, or if it has no meaning for the role.
pub fn choose_profile<'a>(family: &str, all: &'a [Profile], start: &Start) -> Result<&'a Profile, Refusal> {
    let Some(chosen) = all.iter().find(|one| one.name == start.profile) else {
        return Err(Refusal::of(format!("{family} has no profile {:?}", start.profile)));
    };
    if chosen.writing && !["producer", "transactional"].contains(&start.role.as_str()) {
        let text = format!("profile {} concerns producers, a {} writes nothing", start.profile, start.role);
        return Err(Refusal::of(text));
    }
    Ok(chosen)
}

/// The settings of an instance that were not read yet: its profile's, then its own properties.
pub struct Properties {
    client: String,
    rest: BTreeMap<String, String>,
    /// Those of the profile, which may concern another role.
    optional: Vec<String>,
}

impl Properties {
    /// Collects the settings; `client` is the library with its version, for refusals.
    pub fn new(client: String, profile: &Profile, start: &Start) -> Self {
        let mut rest: BTreeMap<String, String> =
            profile.set.iter().map(|(key, text)| ((*key).to_owned(), (*text).to_owned())).collect();
        let optional = rest.keys().filter(|key| !start.properties.contains_key(*key)).cloned().collect();
        rest.extend(start.properties.iter().map(|(key, text)| (key.clone(), text.clone())));
        Self { client, rest, optional }
    }

    /// Takes a setting as text.
    pub fn text(&mut self, key: &str) -> Option<String> {
        self.rest.remove(key)
    }

    /// Takes a setting and parses it.
    ///
    /// # Errors
    /// Unsupported where `parse` does not know the text.
    pub fn parsed<T>(&mut self, key: &str, parse: impl Fn(&str) -> Option<T>) -> Result<Option<T>, Refusal> {
        let Some(text) = self.text(key) else { return Ok(None) };
        match parse(&text) {
            Some(value) => Ok(Some(value)),
            None => Err(Refusal::of(format!("{}: {key} cannot be {text:?}", self.client))),
        }
    }

    /// Takes a setting of a type that is parsed from text.
    ///
    /// # Errors
    /// Unsupported where the text is not valid.
    pub fn value<T: FromStr>(&mut self, key: &str) -> Result<Option<T>, Refusal> {
        self.parsed(key, |text| text.parse().ok())
    }

    /// Takes a time: `1.5s`, `20ms`.
    ///
    /// # Errors
    /// Unsupported where the text is not valid.
    pub fn time(&mut self, key: &str) -> Result<Option<Duration>, Refusal> {
        self.parsed(key, duration)
    }

    /// Ends the reading.
    ///
    /// # Errors
    /// Unsupported where a property was not taken, since the library or the role does not have it.
    pub fn end(self) -> Result<(), Refusal> {
        match self.rest.keys().find(|key| !self.optional.contains(key)) {
            Some(key) => Err(Refusal::of(format!("{} has no {key} here", self.client))),
            None => Ok(()),
        }
    }
}

/// Parses a time with its unit, `ms` or `s`.
pub fn duration(text: &str) -> Option<Duration> {
    let (number, unit) = match text.strip_suffix("ms") {
        Some(number) => (number, 0.001),
        None => (text.strip_suffix('s')?, 1.0),
    };
    Duration::try_from_secs_f64(number.parse::<f64>().ok()? * unit).ok()
}

/// Formats a time as a setting of READY.
pub fn milliseconds(value: Duration) -> String {
    value.as_millis().to_string()
}

/// Returns settings of READY as a map.
pub fn text_of<const N: usize>(settings: [(&str, String); N]) -> std::collections::HashMap<String, String> {
    settings.into_iter().map(|(name, text)| (name.to_owned(), text)).collect()
}
