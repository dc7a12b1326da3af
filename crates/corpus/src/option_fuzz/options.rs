//! The options of the program, as its help has them, and values for each kind.

use system::Random;

/// An option.
pub struct Setting {
    pub flag: String,
    /// What the help calls its value; `None` for a switch.
    kind: Option<String>,
    /// The values that the help lists, and the default.
    values: Vec<String>,
    default: Option<String>,
    pub repeats: bool,
}

/// An option with a value. In the value, `@` stands for the folder of the run.
#[derive(Clone, Debug)]
pub struct Choice {
    pub flag: String,
    pub value: Option<String>,
}

/// These end the program before it does anything.
const LEFT_OUT: [&str; 3] = ["--help", "--version", "--help_of"];

/// Reads what `--help` prints: an option begins a line, and all up to the next one is
/// about it.
pub fn read(help: &str) -> Vec<Setting> {
    let mut settings: Vec<(String, String)> = Vec::new();
    for line in help.lines() {
        let text = line.trim_start();
        let indent = line.len() - text.len();
        if text.starts_with('-') && indent <= 6 {
            settings.push((text.to_owned(), String::new()));
        } else if let Some((_, about)) = settings.last_mut() {
            about.push(' ');
            about.push_str(text);
        }
    }
    let settings = settings.iter().map(|(head, about)| setting(head, about));
    settings
        .filter(|setting| !LEFT_OUT.contains(&setting.flag.as_str()))
        .collect()
}

fn setting(head: &str, about: &str) -> Setting {
    let mut words = head.split_whitespace();
    let long = words.clone().find(|word| word.starts_with("--"));
    let flag = long.unwrap_or_else(|| words.next().unwrap_or_default());
    let kind = head
        .split_once('<')
        .and_then(|(_, rest)| rest.split_once('>'));
    let listed = |name: &str| {
        let (_, rest) = about.split_once(&format!("[{name}: "))?;
        rest.split_once(']').map(|(list, _)| list.to_owned())
    };
    let values = listed("possible values").unwrap_or_default();
    let values = values.split(',').map(str::trim).filter(|v| !v.is_empty());
    let mut values: Vec<String> = values.map(str::to_owned).collect();
    // Values that are explained one by one.
    if let Some((_, explained)) = about.split_once("Possible values:") {
        let items = explained.split(" - ").skip(1);
        let names = items.filter_map(|item| item.split_once(':'));
        values.extend(names.map(|(name, _)| name.trim().to_owned()));
    }
    Setting {
        flag: flag.trim_end_matches("...").to_owned(),
        kind: kind.map(|(kind, _)| kind.to_owned()),
        values,
        default: listed("default"),
        repeats: about.contains("may be repeated") || head.contains("..."),
    }
}

impl Setting {
    /// The option with a value; seldom the one that it has anyway.
    pub fn choose(&self, model: &str, random: &mut Random) -> Choice {
        let mut value = self.value(model, random);
        if value.is_some() && value == self.default && !random.once_in(5) {
            value = self.value(model, random);
        }
        Choice {
            flag: self.flag.clone(),
            value,
        }
    }

    fn value(&self, model: &str, random: &mut Random) -> Option<String> {
        let kind = self.kind.as_ref()?;
        if !self.values.is_empty() {
            return Some(self.values[random.below(self.values.len())].clone());
        }
        let few: &[&str] = match kind.as_str() {
            "N" => &["0", "1", "2", "3", "10"],
            "SECONDS" => &["0.2", "1", "2"],
            "MS" => &["10", "200", "1000"],
            "PERCENT" => &["0", "50", "100"],
            "FOLDER" | "DIR" => &["@/folder", "@/out", "@/a/b"],
            "FILE" => &["@/file", "@/other", "@/folder/deep", "@/missing/"],
            "NODE" => return Some(node(model, random)),
            "NAME" => &["fake.lus", "a b.lus"],
            "LOGIC" => &["none", "detect", "ALL", "QF_LIA"],
            "NAMES" => &["all", "none", "constants"],
            "LIST" | "KINDS" => &["all", "division", "index", "overflow", "conversion"],
            "CATEGORY" => &["node_calls", "contracts", "equations", "assertions"],
            _ => &["1", "all"],
        };
        Some(few[random.below(few.len())].to_owned())
    }
}

/// A node of the model, or seldom one that is not there.
fn node(model: &str, random: &mut Random) -> String {
    let words: Vec<&str> = model
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .collect();
    let named = words
        .windows(2)
        .filter(|pair| ["node", "function"].contains(&pair[0]));
    let names: Vec<&str> = named
        .map(|pair| pair[1])
        .filter(|n| !n.is_empty())
        .collect();
    match names.is_empty() || random.once_in(10) {
        true => "nobody".to_owned(),
        false => names[random.below(names.len())].to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HELP: &str = "\
Options:
      --modular <BOOL>
          Analyse every node
          
          [default: false]
          [possible values: true, false]

      --enable <MODULE>
          Run these; may be repeated
          [possible values: BMC, IND,
          interpreter]

      --mink <HOW>
          How small

          Possible values:
          - no:     Not
          - bwd:    Back, then
            forth

          [default: no]

      --json
          Write JSON

  -v...
          Say more

  -h, --help
          Print help
";

    #[test]
    fn options_are_read_off_the_help() {
        let settings = read(HELP);
        let flags: Vec<&str> = settings.iter().map(|s| s.flag.as_str()).collect();
        assert_eq!(flags, ["--modular", "--enable", "--mink", "--json", "-v"]);
        assert_eq!(settings[0].values, ["true", "false"]);
        assert_eq!(settings[0].default.as_deref(), Some("false"));
        assert_eq!(settings[1].values, ["BMC", "IND", "interpreter"]);
        assert_eq!(settings[2].values, ["no", "bwd"]);
        assert!(settings[1].repeats && settings[4].repeats);
        assert!(settings[3].kind.is_none());
    }
}
