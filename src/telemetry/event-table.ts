/**
 * The records that a run can leave behind: their names, attributes, and which attributes hold texts of people or models
 * and are told only where `telemetry.logPrompts` allows it. The documentation is generated from this table.
 */

interface LogRow {
  readonly about: string
  readonly attributes: ReadonlyArray<string>
  /** Only with `logPrompts`. */
  readonly texts?: ReadonlyArray<string>
}

/** On every record, beside its own attributes. */
export const COMMON_ATTRIBUTES = [
  ...(["session.id", "installation.id", "interactive", "auth_type", "user.email", "experiments.ids"] as const)
] as const

const INFERENCE = [
  "gen_ai.operation.name",
  "gen_ai.provider.name",
  "gen_ai.request.model",
  "gen_ai.response.model",
  "gen_ai.request.temperature",
  "gen_ai.request.top_p",
  "gen_ai.request.top_k",
  "gen_ai.request.choice.count",
  "gen_ai.request.seed",
  "gen_ai.request.frequency_penalty",
  "gen_ai.request.presence_penalty",
  "gen_ai.request.max_tokens",
  "gen_ai.request.stop_sequences",
  "gen_ai.output.type",
  "gen_ai.response.id",
  "gen_ai.response.finish_reasons",
  "gen_ai.usage.input_tokens",
  "gen_ai.usage.output_tokens",
  "server.address",
  "server.port",
  "error.type"
]

const rows = {
  "gemini_cli.config": {
    about: "The configuration of the session, once at its start.",
    attributes: [
      "model",
      "embedding_model",
      "sandbox_enabled",
      "core_tools_enabled",
      "approval_mode",
      "api_key_enabled",
      "vertex_ai_enabled",
      "log_user_prompts_enabled",
      "file_filtering_respect_git_ignore",
      "debug_mode",
      "mcp_servers",
      "mcp_servers_count",
      "mcp_tools",
      "mcp_tools_count",
      "output_format",
      "extensions",
      "extensions_count",
      "extension_ids",
      "worktree_active"
    ]
  },
  "gemini_cli.user_prompt": {
    about: "A prompt of a person.",
    attributes: ["prompt_length", "prompt_id"],
    texts: ["prompt"]
  },
  "gemini_cli.tool_call": {
    about: "A tool call that ended, also one that was refused or whose tool does not exist.",
    attributes: [
      "function_name",
      "duration_ms",
      "success",
      "decision",
      "prompt_id",
      "tool_type",
      "content_length",
      "mcp_server_name",
      "extension_name",
      "extension_id",
      "start_time",
      "end_time",
      "metadata",
      "error",
      "error.message",
      "error_type",
      "error.type"
    ],
    texts: ["function_args"]
  },
  "gemini_cli.file_operation": {
    about: "A file was read, created or changed by a tool.",
    attributes: ["tool_name", "operation", "lines", "mimetype", "extension", "programming_language"]
  },
  "gemini_cli.api_request": {
    about: "A request to a model is being sent.",
    attributes: ["model", "prompt_id", "role"],
    texts: ["request_text"]
  },
  "gemini_cli.api_response": {
    about: "A model answered to the end.",
    attributes: [
      "model",
      "duration_ms",
      "input_token_count",
      "output_token_count",
      "cached_content_token_count",
      "thoughts_token_count",
      "tool_token_count",
      "total_token_count",
      "prompt_id",
      "status_code",
      "http.status_code",
      "finish_reasons",
      "role"
    ],
    texts: ["response_text"]
  },
  "gemini_cli.api_error": {
    about: "A request to a model failed.",
    attributes: [
      "error.message",
      "model_name",
      "duration",
      "model",
      "error",
      "status_code",
      "http.status_code",
      "duration_ms",
      "prompt_id",
      "role",
      "error.type"
    ]
  },
  "gen_ai.client.inference.operation.details": {
    about: "The same request, answer or failure in the words of OpenTelemetry; payloads need `traces` as well.",
    attributes: INFERENCE,
    texts: ["gen_ai.system_instructions", "gen_ai.input.messages", "gen_ai.output.messages"]
  },
  "gemini_cli.flash_fallback": { about: "Another model of the chain takes over.", attributes: [] },
  "gemini_cli.ripgrep_fallback": { about: "Searching goes on without ripgrep.", attributes: ["error"] },
  "gemini_cli.web_fetch_fallback_attempt": { about: "A page is fetched directly.", attributes: ["reason"] },
  loop_detected: {
    about: "The model repeats itself.",
    attributes: ["loop_type", "prompt_id", "count", "confirmed_by_model", "confidence"],
    texts: ["analysis"]
  },
  loop_detection_disabled: { about: "Loops are not looked for in this session.", attributes: ["prompt_id"] },
  "gemini_cli.llm_loop_check": {
    about: "A model was asked whether the work goes in circles.",
    attributes: ["prompt_id", "flash_confidence", "main_model", "main_model_confidence"]
  },
  "gemini_cli.next_speaker_check": {
    about: "A model was asked who speaks next.",
    attributes: ["prompt_id", "finish_reason", "result"]
  },
  "gemini_cli.slash_command": {
    about: "A slash command was given.",
    attributes: ["command", "subcommand", "status", "extension_id"]
  },
  "gemini_cli.slash_command.model": { about: "A model was chosen by /model.", attributes: ["model_name"] },
  "gemini_cli.rewind": { about: "The conversation was taken back.", attributes: ["outcome"] },
  "gemini_cli.chat_compression": {
    about: "The conversation was replaced by a shorter form of it.",
    attributes: ["tokens_before", "tokens_after"]
  },
  "gemini_cli.tool_output_truncated": {
    about: "A result was too long for the model.",
    attributes: [
      "eventName",
      "tool_name",
      "original_content_length",
      "truncated_content_length",
      "threshold",
      "prompt_id"
    ]
  },
  "gemini_cli.tool_output_masking": {
    about: "Old results of tools were replaced by notes.",
    attributes: ["tokens_before", "tokens_after", "masked_count", "total_prunable_tokens"]
  },
  "gemini_cli.malformed_json_response": { about: "A utility model answered with broken JSON.", attributes: ["model"] },
  "gemini_cli.chat.invalid_chunk": { about: "A piece of an answer made no sense.", attributes: ["error.message"] },
  "gemini_cli.chat.content_retry": {
    about: "An unusable answer is asked for again.",
    attributes: ["attempt_number", "error_type", "retry_delay_ms", "model"]
  },
  "gemini_cli.chat.content_retry_failure": {
    about: "The answer stayed unusable.",
    attributes: ["total_attempts", "final_error_type", "total_duration_ms", "model"]
  },
  "gemini_cli.network_retry_attempt": {
    about: "A request that failed is going to be sent again.",
    attributes: ["attempt", "max_attempts", "error_type", "delay_ms", "model"]
  },
  "gemini_cli.model_routing": {
    about: "Which model answers a prompt, and why.",
    attributes: [
      "decision_model",
      "decision_source",
      "routing_latency_ms",
      "failed",
      "approval_mode",
      "error_message",
      "enable_numerical_routing",
      "classifier_threshold"
    ],
    texts: ["reasoning"]
  },
  "gemini_cli.conversation_finished": {
    about: "The model has nothing more to do for a prompt.",
    attributes: ["approvalMode", "turnCount"]
  },
  "gemini_cli.edit_strategy": { about: "How the place of an edit was found.", attributes: ["strategy"] },
  "gemini_cli.edit_correction": { about: "A model repaired an edit that did not fit.", attributes: ["correction"] },
  "gemini_cli.ide_connection": {
    about: "The companion of an editor was connected, at the start or later in the session.",
    attributes: ["connection_type"]
  },
  "gemini_cli.extension_install": {
    about: "An extension was installed.",
    attributes: ["extension_name", "extension_version", "extension_source", "status"]
  },
  "gemini_cli.extension_uninstall": { about: "An extension was removed.", attributes: ["extension_name", "status"] },
  "gemini_cli.extension_update": {
    about: "An extension was updated.",
    attributes: ["extension_name", "extension_version", "extension_previous_version", "extension_source", "status"]
  },
  "gemini_cli.extension_enable": {
    about: "An extension was enabled.",
    attributes: ["extension_name", "setting_scope"]
  },
  "gemini_cli.extension_disable": {
    about: "An extension was disabled.",
    attributes: ["extension_name", "setting_scope"]
  },
  "gemini_cli.agent.start": { about: "A sub-agent begins.", attributes: ["agent_id", "agent_name"] },
  "gemini_cli.agent.finish": {
    about: "A sub-agent ended.",
    attributes: ["agent_id", "agent_name", "duration_ms", "turn_count", "terminate_reason"]
  },
  "gemini_cli.agent.recovery_attempt": {
    about: "A sub-agent at its limit gets a last turn.",
    attributes: ["agent_id", "agent_name", "reason", "duration_ms", "success", "turn_count"]
  },
  "gemini_cli.hook_call": {
    about: "A hook ran. Without `logPrompts` its name is the bare command.",
    attributes: ["hook_event_name", "hook_type", "hook_name", "duration_ms", "success", "exit_code", "error"],
    texts: ["hook_input", "hook_output", "stdout", "stderr"]
  },
  "gemini_cli.plan.approval_mode_switch": { about: "The approval mode changed.", attributes: ["from_mode", "to_mode"] },
  "gemini_cli.plan.approval_mode_duration": {
    about: "How long an approval mode was on.",
    attributes: ["mode", "duration_ms"]
  },
  "gemini_cli.plan.execution": { about: "A plan was approved.", attributes: ["approval_mode"] },
  "gemini_cli.startup_stats": {
    about: "How long the parts of the start took.",
    attributes: ["phases", "os_platform", "os_release", "is_docker"]
  },
  "gemini_cli.keychain.availability": { about: "Whether the key store can be used.", attributes: ["available"] },
  "gemini_cli.token_storage.initialization": {
    about: "Where credentials are kept.",
    attributes: ["type", "forced"]
  },
  "gemini_cli.overage_menu_shown": {
    about: "Paid credits were offered, since a quota was used up.",
    attributes: ["model", "credit_balance", "overage_strategy"]
  },
  "gemini_cli.overage_option_selected": {
    about: "What the person chose then.",
    attributes: ["model", "selected_option", "credit_balance"]
  },
  "gemini_cli.empty_wallet_menu_shown": {
    about: "A quota was used up, and there were too few credits.",
    attributes: ["model"]
  },
  "gemini_cli.credit_purchase_click": {
    about: "The page of credits was opened.",
    attributes: ["source", "model"]
  },
  "gemini_cli.credits_used": {
    about: "An answer was paid for with credits.",
    attributes: ["model", "credits_consumed", "credits_remaining"]
  },
  "gemini_cli.api_key_updated": {
    about: "Another key or way to authenticate was chosen.",
    attributes: ["previous_auth_type", "new_auth_type"]
  },
  end_session: { about: "The session is over.", attributes: ["session_id"] }
} satisfies Record<string, LogRow>

export type LogName = keyof typeof rows
export const logEvents: Readonly<Record<LogName, LogRow>> = rows
