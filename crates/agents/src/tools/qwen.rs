//! What Qwen Code calls its tools beside the names that payloads have.

/// Its tools by the names that payloads have, each with the other names that a matcher may give it: as they are shown, those
/// with `Tool`, older ones, and some of Claude Code's.
#[rustfmt::skip]
const ALIASES: &[(&str, &[&str])] = &[
    ("exec", &["Exec", "ExecTool"]),
    ("edit", &["Edit", "EditTool", "replace"]),
    ("write_file", &["WriteFile", "WriteFileTool", "Write"]),
    ("read_file", &["ReadFile", "ReadFileTool", "Read"]),
    ("zoom_image", &["ZoomImage", "ZoomImageTool"]),
    ("grep_search", &["Grep", "GrepTool", "search_file_content", "SearchFiles"]),
    ("glob", &["Glob", "GlobTool", "FindFiles"]),
    ("run_shell_command", &["Shell", "ShellTool", "Bash"]),
    ("todo_write", &["TodoList", "TodoListTool", "TodoWrite", "TodoWriteTool"]),
    ("save_memory", &["SaveMemory", "SaveMemoryTool"]),
    ("agent", &["Agent", "AgentTool", "task", "Task", "TaskTool"]),
    ("skill", &["Skill", "SkillTool"]),
    ("exit_plan_mode", &["ExitPlanMode", "ExitPlanModeTool"]),
    ("enter_plan_mode", &["EnterPlanMode", "EnterPlanModeTool"]),
    ("web_fetch", &["WebFetch", "WebFetchTool"]),
    ("web_search", &["WebSearch", "WebSearchTool"]),
    ("image_gen", &["ImageGen", "ImageGenTool"]),
    ("list_directory", &["ListFiles", "ListFilesTool", "ReadFolder"]),
    ("lsp", &["Lsp", "LspTool"]),
    ("ask_user_question", &["AskUserQuestion", "AskUserQuestionTool"]),
    ("cron_create", &["CronCreate", "CronCreateTool"]),
    ("cron_list", &["CronList", "CronListTool"]),
    ("cron_delete", &["CronDelete", "CronDeleteTool"]),
    ("loop_wakeup", &["LoopWakeup", "LoopWakeupTool"]),
    ("create_sub_session", &["CreateSubSession", "CreateSubSessionTool"]),
    ("list_agents", &["ListAgents", "ListAgentsTool"]),
    ("task_stop", &["TaskStop", "TaskStopTool"]),
    ("task_create", &["TaskCreate", "TaskCreateTool"]),
    ("task_update", &["TaskUpdate", "TaskUpdateTool"]),
    ("task_list", &["TaskList", "TaskListTool"]),
    ("team_create", &["TeamCreate", "TeamCreateTool"]),
    ("team_delete", &["TeamDelete", "TeamDeleteTool"]),
    ("team_plan_approval", &["TeamPlanApproval", "TeamPlanApprovalTool"]),
    ("request_shutdown", &["RequestShutdown", "RequestShutdownTool"]),
    ("send_message", &["SendMessage", "SendMessageTool"]),
    ("structured_output", &["StructuredOutput", "StructuredOutputTool"]),
    ("monitor", &["Monitor", "MonitorTool"]),
    ("notebook_edit", &["NotebookEdit", "NotebookEditTool"]),
    ("tool_call", &["ToolCall", "ToolCallTool"]),
    ("tool_search", &["ToolSearch", "ToolSearchTool"]),
    ("read_mcp_resource", &["ReadMcpResource", "ReadMcpResourceTool"]),
    ("enter_worktree", &["EnterWorktree", "EnterWorktreeTool"]),
    ("exit_worktree", &["ExitWorktree", "ExitWorktreeTool"]),
    ("workflow", &["Workflow", "WorkflowTool"]),
    ("artifact", &["Artifact", "ArtifactTool"]),
    ("record_artifact", &["RecordArtifact", "RecordArtifactTool"]),
    ("record_source", &["RecordSource", "RecordSourceTool"]),
    ("report_findings", &["ReportFindings", "ReportFindingsTool"]),
    ("get_goal", &["Goal", "GoalTool", "GetGoal"]),
    ("update_goal", &["UpdateGoal", "UpdateGoalTool"]),
    ("omni_downsample_image", &["DownsampleImage", "DownsampleImageTool"]),
    ("omni_downscale_video", &["DownscaleVideo", "DownscaleVideoTool"]),
    ("omni_downsample_audio", &["DownsampleAudio", "DownsampleAudioTool"]),
    ("omni_extract_keyframes", &["ExtractKeyframes", "ExtractKeyframesTool"]),
    ("omni_extract_audio", &["ExtractAudio", "ExtractAudioTool"]),
    ("omni_clip_video", &["ClipVideo", "ClipVideoTool"]),
    ("omni_convert_image", &["ConvertImage", "ConvertImageTool"]),
    ("omni_transcribe_audio", &["TranscribeAudio", "TranscribeAudioTool"]),
    ("omni_clip_image", &["ClipImage", "ClipImageTool"]),
    ("omni_clip_audio", &["ClipAudio", "ClipAudioTool"]),
    ("omni_caption_image", &["CaptionImage", "CaptionImageTool"]),
    ("omni_caption_audio", &["CaptionAudio", "CaptionAudioTool"]),
    ("omni_ocr_image", &["OcrImage", "OcrImageTool"]),
    ("omni_understand_video_segments", &["UnderstandVideoSegments", "UnderstandVideoSegmentsTool"]),
    ("omni_recall_media_memory", &["RecallMediaMemory", "RecallMediaMemoryTool"]),
    ("propose_goal", &["ProposeGoal", "ProposeGoalTool"]),
    ("display_image", &["DisplayImage", "DisplayImageTool"]),
];

/// The other names of a tool.
pub(crate) fn aliases(name: &str) -> &'static [&'static str] {
    ALIASES.iter().find(|(own, _)| *own == name).map_or(&[], |(_, aliases)| aliases)
}

/// All names that its tools have.
pub(crate) fn every() -> impl Iterator<Item = &'static str> {
    ALIASES.iter().flat_map(|(own, aliases)| std::iter::once(*own).chain(aliases.iter().copied()))
}
