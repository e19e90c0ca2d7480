//! What manual pages have beside the options: exit statuses, variables, files and other pages.

/// A variable that hookshell reads, and what it does.
const ENVIRONMENT: &[(&str, &str)] = &[
    (
        "HOOKSHELL_LOG",
        "off: nothing is logged. payload: the tool's input, the prompt and the hooks' output are logged too.",
    ),
    ("HOOKSHELL_LLM_URL", "The OpenAI-compatible server that hooks of the types prompt and agent ask."),
    ("HOOKSHELL_LLM_MODEL", "The model that it is asked for."),
    ("HOOKSHELL_LLM_KEY", "The key for it."),
    ("OPENAI_API_KEY, OPENAI_BASE_URL", "Used if HOOKSHELL_LLM_URL is not set."),
    (
        "HOOKSHELL_OTLP_ENDPOINT",
        "The OpenTelemetry collector that spans of hooks' runs are sent to (only where hookshell is built with the feature otlp).",
    ),
    ("HOOKSHELL_OTLP_HEADERS", "Headers for it: name=value,name=value, with %2C for a comma in a value."),
    ("TRACEPARENT", "The span that these spans are part of."),
    (
        "HOOKSHELL_RUNNING",
        "Set for hooks: the event that runs, so that hookshell does not run the hooks of its own call.",
    ),
    (
        "CRUSH, CRUSH_EVENT, CRUSH_TOOL_NAME, CRUSH_TOOL_INPUT_COMMAND, CRUSH_TOOL_INPUT_FILE_PATH, CRUSH_SESSION_ID, CRUSH_CWD, CRUSH_PROJECT_DIR, AGENT, AI_AGENT",
        "Set for hooks: 1, then the event, its tool, session and directories; the last two name the agent (crush for hookshell's own hooks). What the caller has under these names is not passed on; for hooks of other agents AGENT and AI_AGENT are the caller's.",
    ),
    ("HOOKSHELL_BIN", "Read by the SDKs for Node and Python: the binary that they start."),
    (
        "HOOKSHELL_BASE_URL, HOOKSHELL_PREFIX",
        "Read by install.sh, the first by install.ps1 too: where releases are downloaded from, and where it installs.",
    ),
    ("HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY", "The proxy for requests, also in small letters."),
    ("PATH, PATHEXT", "Where programs are looked for."),
    ("PWD", "The working directory, where the system cannot name it."),
    ("HOME, USERPROFILE, XDG_CONFIG_HOME, XDG_DATA_HOME, LOCALAPPDATA, APPDATA", "Where the user's configs are."),
    (
        "CRUSH_GLOBAL_CONFIG, CRUSH_GLOBAL_DATA, CLAUDE_CONFIG_DIR, CODEX_HOME, COPILOT_HOME, QWEN_HOME",
        "Where these agents keep their configs, if they are not in the home directory.",
    ),
    (
        "CLAUDE_PROJECT_DIR, GEMINI_PROJECT_DIR, CURSOR_PROJECT_DIR, COPILOT_PROJECT_DIR, QWEN_PROJECT_DIR",
        "The project's directory, where an agent starts hookshell as its hook.",
    ),
    ("CLAUDE_ENV_FILE", "The file to which variables for the session of Claude Code are written."),
    (
        "CLAUDECODE, CLAUDE_CODE_SESSION_ID",
        "Claude Code and its session, for the log of the hooks that it starts by `hookshell exec`.",
    ),
    (
        "COPILOT_HOOK_ALLOW_LOCALHOST, COPILOT_HOOK_ALLOW_HTTP_AUTH_HOOKS",
        "Set to 1: Copilot CLI's http hooks may go to this machine, and may be without encryption.",
    ),
    (
        "QWEN_CODE_MODEL, QWEN_CODE_MODEL_IDENTITY, QWEN_CODE_PROJECT_DIR",
        "Given to Qwen Code's hooks as they are; set for them if they are not set.",
    ),
    (
        "GEMINI_PLANS_DIR",
        "Given to Gemini CLI's hooks as it is; set for them if it is not set and the event names a directory of plans.",
    ),
    (
        "GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM, GIT_DIR, GIT_COMMON_DIR",
        "The configs of git: their aliases are what `if` rules take commands of git for.",
    ),
    (
        "ProgramFiles, NVM_SYMLINK",
        "Windows: where node, pwsh and Git for Windows are looked for if PATH does not lead to them.",
    ),
    ("XDG_STATE_HOME", "Where the log and the trusted hooks are kept."),
    ("NO_COLOR, CLICOLOR, CLICOLOR_FORCE, TERM", "Whether output is coloured: by default on a terminal."),
    ("TZ", "The zone of the log's times."),
    (
        "QWEN_CODE_SYSTEM_SETTINGS_PATH, QWEN_CODE_SYSTEM_DEFAULTS_PATH",
        "Where Qwen Code's settings for the whole system are.",
    ),
    (
        "MSYS_NO_PATHCONV, MSYS2_ARG_CONV_EXCL",
        "Windows: arguments that look like Unix paths are not changed for programs (all, or those that begin so).",
    ),
    (
        "LC_ALL, LC_CTYPE, LANG, TMPDIR, TEMP, TMP, SHELL, USERNAME, PUBLIC, COLUMNS, COLORTERM, LS_COLORS, TIME_STYLE, TABSIZE, JQ_COLORS, GREP_COLORS, \
         GREP_COLOR, QUOTING_STYLE, TERMINFO, TERMINFO_DIRS, POSIXLY_CORRECT, BLOCK_SIZE, BLOCKSIZE, LS_BLOCK_SIZE, DF_BLOCK_SIZE, DU_BLOCK_SIZE, \
         SIMPLE_BACKUP_SUFFIX, VERSION_CONTROL, OMP_NUM_THREADS, OMP_THREAD_LIMIT, GETOPT_COMPATIBLE",
        "Read by bundled utilities as by the real ones.",
    ),
];

/// What the shell reads beside that.
const OF_SHELL: &[(&str, &str)] = &[
    ("BASH_ENV", "The file that runs before a script, where hookshell was called bash."),
    ("SHELLOPTS, BASHOPTS", "Options that are on from the start."),
    ("POSIXLY_CORRECT", "POSIX mode, as with --posix."),
    ("BASH_COMPAT", "The version of bash whose behaviour is asked for."),
    (
        "CDPATH, IFS, PS3, PS4, PROMPT_DIRTRIM, HOME, USER, OLDPWD, PWD, SHLVL, PPID, FUNCNEST, GLOBIGNORE, TIMEFORMAT, TMOUT, OPTIND, OPTERR, \
         BASH_XTRACEFD, HISTFILE, HOSTFILE",
        "As in bash.",
    ),
];

const FILES: &[(&str, &str)] = &[
    (
        "crush.json, .crush.json, .crush/crush.json, .hookshell/hooks/",
        "The project's hooks. They run if they are trusted. The first two are looked for up to the root of the repository.",
    ),
    (
        "$XDG_CONFIG_HOME/crush/crush.json, $XDG_DATA_HOME/crush/crush.json",
        "The user's hooks (else below ~/.config, and below ~/.local/share or on Windows %LOCALAPPDATA%).",
    ),
    (
        ".claude/settings.json, .codex/, .gemini/, .cursor/, .qwen/, .github/hooks/",
        "Hooks of other agents, with --dialect.",
    ),
    (
        "$XDG_CONFIG_HOME/hookshell/hooks/",
        "The user's hook files (else below ~/.config; on Windows below %LOCALAPPDATA%).",
    ),
    (
        "$XDG_STATE_HOME/hookshell/hooks.jsonl, hooks.1.jsonl",
        "The log, and what was in it before (else below ~/.local/state; on Windows below %LOCALAPPDATA%).",
    ),
    ("$XDG_STATE_HOME/hookshell/trust.json", "The hooks that the user trusts, with the hashes of their scripts."),
    ("$XDG_STATE_HOME/hookshell/sessions/", "What `hookshell run` remembers of a session until it ends."),
    (
        "$XDG_DATA_HOME/hookshell/installed/, bin/",
        "Agents' configs as they were before `hookshell install`, and hookshell under the name bash (else below ~/.local/share; on Windows below %LOCALAPPDATA%).",
    ),
    ("*.hooktest.json", "Fixtures of `hookshell test`."),
];

/// The exit statuses of a command (`hookshell run`), beside those of hookshell's errors.
fn exit_status(command: &str) -> &'static [(&'static str, &'static str)] {
    match command.strip_prefix("hookshell").unwrap_or(command).trim_start_matches([' ', '-']) {
        "run" => &[("0", "The call proceeds."), ("2", "It is denied."), ("49", "The turn is halted.")],
        "exec" => &[("any", "That of the command; 1 if it reached a limit.")],
        "sh" => &[
            ("any", "That of the script."),
            ("2", "Wrong command line, or a limit was reached."),
            ("126", "FILE cannot be read, or is a program."),
            ("127", "There is no FILE."),
            ("128 + n", "The signal n ended it."),
        ],
        "test" => &[("0", "All cases passed."), ("1", "A case failed."), ("2", "A fixture cannot be used.")],
        "check" => &[("0", "No findings."), ("1", "Findings (see --fail-on)."), ("2", "A config cannot be read.")],
        "status" => &[("0", "Every hook that can be wired is."), ("1", "One is not, or a config cannot be read.")],
        "trust" => &[("0", "The project's hooks are trusted."), ("1", "They are not.")],
        _ => &[("0", "Success.")],
    }
}

const ERRORS: [(&str, &str); 4] = [
    ("64", "Wrong command line."),
    ("65", "Wrong data (config, JSON)."),
    ("66", "A file or directory is missing."),
    ("70, 71, 74", "Internal error, system error, input or output error."),
];

const TEST_ERRORS: [(&str, &str); 4] = [
    ERRORS[0],
    ERRORS[1],
    ("66", "A file or directory is missing, there is no fixture, or no case matches the filter."),
    ERRORS[3],
];

/// The last sections of a command's page, as roff. `others` are the names of all pages.
pub(crate) fn sections(command: &str, others: &[String]) -> String {
    let mut roff = String::from(".SH \"EXIT STATUS\"\n");
    list(&mut roff, exit_status(command));
    let errors = match command {
        // What sh ends with is its script's own.
        "hookshell-sh" => &[][..],
        "hookshell-test" => &TEST_ERRORS,
        _ => &ERRORS,
    };
    list(&mut roff, errors);
    roff.push_str(".SH ENVIRONMENT\n");
    list(&mut roff, ENVIRONMENT);
    if command == "hookshell-sh" {
        list(&mut roff, OF_SHELL);
    }
    roff.push_str(".SH FILES\n");
    list(&mut roff, FILES);
    roff.push_str(".SH \"SEE ALSO\"\n");
    let pages = others.iter().filter(|page| *page != command);
    let pages: Vec<String> = pages.map(|page| format!("\\fB{}\\fR(1)", escaped(page))).collect();
    roff.push_str(&pages.join(", "));
    roff.push('\n');
    roff
}

fn list(roff: &mut String, rows: &[(&str, &str)]) {
    for (name, text) in rows {
        roff.push_str(&format!(".TP\n\\fB{}\\fR\n{}\n", escaped(name), escaped(text)));
    }
}

/// Text in which nothing is a request or an escape.
fn escaped(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq");
    if text.starts_with('.') { format!("\\&{text}") } else { text }
}
