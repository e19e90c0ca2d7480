//! What clap's scripts lack: words for operands in fish, words of options and files in Elvish and PowerShell, files in bash.

use std::fmt::Write;

use clap::Command;

use super::offered::{Offer, operand, options_with_values};

/// clap_complete's script for bash offers a command's options where nothing has been typed. Where an operand is a file nothing is
/// offered by the script, and bash then offers files.
pub(super) fn bash(script: &str, line: &Command) -> String {
    // bash takes `--option=value` for three words.
    let mut script = script.replacen(
        "    prev=\"$3\"\n",
        "    prev=\"$3\"\n    \
         if [[ \"${cur}\" == \"=\" ]]; then\n        cur=\"\"\n    \
         elif [[ \"${prev}\" == \"=\" ]]; then\n        prev=\"${COMP_WORDS[COMP_CWORD - 2]}\"\n    fi\n",
        1,
    );
    let takes_files = |command: &&Command| matches!(operand(command), Some(Offer::Files));
    for command in line.get_subcommands().filter(takes_files) {
        let begin = format!("\n        hookshell__subcmd__{})\n", command.get_name());
        let Some((before, rest)) = script.split_once(&begin) else { continue };
        let Some((part, after)) = rest.split_once("\n            ;;\n") else { continue };
        let part = part.replacen(" || ${COMP_CWORD} -eq 2 ]]", " ]]", 1);
        const OPTIONS: &str = "COMPREPLY=( $(compgen -W \"${opts}\" -- \"${cur}\") )";
        let part = match part.rsplit_once(OPTIONS) {
            Some((first, last)) => format!("{first}COMPREPLY=(){last}"),
            None => part,
        };
        script = format!("{before}{begin}{part}\n            ;;\n{after}");
    }
    script
}

/// clap_complete's script for zsh offers no option after the first of several operands.
pub(super) fn zsh(script: &str) -> String {
    let narrow = |line: &str| {
        // What follows the script of `sh` is the script's.
        let is_narrow = line.starts_with("'*::") && !line.starts_with("'*::args");
        if is_narrow { line.replacen("'*::", "'*:", 1) } else { line.to_owned() }
    };
    script.split_inclusive('\n').map(narrow).collect()
}

/// fish offers files where the script offers nothing: also for operands that have names, and where there is none.
pub(super) fn fish(script: &str, line: &Command) -> String {
    // `help` itself is no command that was asked for.
    let mut script = script.replace(" help\" -f -a", "\" -f -a");
    for command in line.get_subcommands() {
        let offer = match operand(command) {
            None => " -f".to_owned(),
            Some(Offer::Words(words)) => format!(" -f -a \"{}\"", words.join(" ")),
            Some(Offer::Directories) => " -f -a \"(__fish_complete_directories)\"".to_owned(),
            Some(Offer::Files | Offer::Anything) => continue,
        };
        let name = command.get_name();
        let _ = writeln!(script, "complete -c hookshell -n \"__fish_hookshell_using_subcommand {name}\"{offer}");
    }
    script
}

/// clap_complete's script for Elvish fails after an operand, and knows neither what options take nor files.
pub(super) fn elvish(script: &str, line: &Command) -> String {
    const BEGIN: &str = "    for word $words[1..-1] {\n        if (str:has-prefix $word '-') {\n            break\n        }\n        \
                         set command = $command';'$word\n    }\n";
    const END: &str = "    $completions[$command]\n}\n";
    let mut values = String::from("    var values = [\n");
    for (key, offer) in places(line) {
        let offer = match offer {
            Offer::Words(words) => format!("put {}", words.join(" ")),
            Offer::Files | Offer::Directories | Offer::Anything => "edit:complete-filename $words[-1]".to_owned(),
        };
        let _ = writeln!(values, "        &'{key}'= {{ {offer} }}");
    }
    values += "    ]\n";
    let begin = "    if (> (count $words) 2) {\n        set command = $command';'$words[1]\n    }\n";
    let end = format!(
        "{values}    var place = $command' '$words[-2]\n    \
         if (has-key $values $place) {{\n        $values[$place]\n    \
         }} elif (and (has-key $values $command) (not (str:has-prefix $words[-1] '-'))) {{\n        $values[$command]\n    \
         }} elif (has-key $completions $command) {{\n        $completions[$command]\n    }}\n}}\n"
    );
    script.replacen(BEGIN, begin, 1).replacen(END, &end, 1)
}

/// clap_complete's script for PowerShell does not know a command after an operand, nor what options take. PowerShell offers files where
/// the script offers nothing.
pub(super) fn power_shell(script: &str, line: &Command) -> String {
    const BEGIN: &str = "    $command = @(\n";
    const MIDDLE: &str = "        $element.Value\n    }) -join ';'\n";
    let mut values = String::from("        $element.Value\n    }) | Select-Object -First 2) -join ';'\n\n");
    values += "    $values = @{\n";
    for (key, offer) in places(line) {
        let words = match offer {
            Offer::Words(words) => words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(", "),
            Offer::Files | Offer::Directories | Offer::Anything => String::new(),
        };
        let _ = writeln!(values, "        '{key}' = @({words})");
    }
    values += "    }\n    \
        $before = @($commandElements | Where-Object { $_.Extent.EndOffset -lt $cursorPosition })[-1].Extent.Text\n    \
        $place = \"$command $before\"\n    \
        if (-not $values.ContainsKey($place) -and -not \"$wordToComplete\".StartsWith('-')) {\n        $place = $command\n    }\n    \
        if ($values.ContainsKey($place)) {\n        \
        return $values[$place] | Where-Object { $_ -like \"$wordToComplete*\" } | ForEach-Object {\n            \
        [CompletionResult]::new($_, $_, [CompletionResultType]::ParameterValue, $_)\n        }\n    }\n";
    let script = script.replacen(BEGIN, "    $command = (@(\n", 1).replacen(MIDDLE, &values, 1);
    // The form that every reader of PowerShell knows.
    script.replacen("    $completions.Where{", "    $completions | Where-Object {", 1)
}

/// The places where a value may stand, and what it may be: `hookshell;COMMAND --option`, and `hookshell;COMMAND` for its operand.
fn places(line: &Command) -> impl Iterator<Item = (String, Offer)> {
    line.get_subcommands().filter(|command| command.get_name() != "help").flat_map(|command| {
        let key = format!("hookshell;{}", command.get_name());
        let of_operand = operand(command).map(|offer| (key.clone(), offer));
        options_with_values(command).map(move |(option, offer)| (format!("{key} {option}"), offer)).chain(of_operand)
    })
}
