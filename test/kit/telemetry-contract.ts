/**
 * The events, metrics and spans that readers of telemetry count on, written down apart from the program: what the tables
 * of the program list, and what a run really tells, is compared with this. Attributes that stand only under `logPrompts`
 * are in `texts`.
 */

interface ContractEvent {
  readonly attributes: string
  readonly texts?: string
}

/** On every record, where there is a source for it. */
export const COMMON = "session.id installation.id interactive user.email auth_type experiments.ids"

const INFERENCE =
  "gen_ai.operation.name gen_ai.provider.name gen_ai.request.model gen_ai.response.model gen_ai.request.temperature " +
  "gen_ai.request.top_p gen_ai.request.top_k gen_ai.request.choice.count gen_ai.request.seed " +
  "gen_ai.request.frequency_penalty gen_ai.request.presence_penalty gen_ai.request.max_tokens " +
  "gen_ai.request.stop_sequences gen_ai.output.type gen_ai.response.id gen_ai.response.finish_reasons " +
  "gen_ai.usage.input_tokens gen_ai.usage.output_tokens server.address server.port error.type"

export const EVENTS: Readonly<Record<string, ContractEvent>> = {
  "gemini_cli.config": {
    attributes:
      "model embedding_model sandbox_enabled core_tools_enabled approval_mode api_key_enabled vertex_ai_enabled " +
      "log_user_prompts_enabled file_filtering_respect_git_ignore debug_mode mcp_servers mcp_servers_count mcp_tools " +
      "mcp_tools_count output_format extensions extensions_count extension_ids auth_type worktree_active"
  },
  "gemini_cli.user_prompt": { attributes: "prompt_length prompt_id auth_type", texts: "prompt" },
  "gemini_cli.tool_call": {
    attributes:
      "function_name duration_ms success decision prompt_id tool_type content_length mcp_server_name extension_name " +
      "extension_id start_time end_time metadata error error.message error_type error.type",
    texts: "function_args"
  },
  "gemini_cli.file_operation": {
    attributes: "tool_name operation lines mimetype extension programming_language"
  },
  "gemini_cli.api_request": { attributes: "model prompt_id role", texts: "request_text" },
  "gemini_cli.api_response": {
    attributes:
      "model duration_ms input_token_count output_token_count cached_content_token_count thoughts_token_count " +
      "tool_token_count total_token_count prompt_id auth_type status_code http.status_code finish_reasons role",
    texts: "response_text"
  },
  "gemini_cli.api_error": {
    attributes:
      "error.message model_name duration model error status_code http.status_code duration_ms prompt_id auth_type role " +
      "error.type"
  },
  "gen_ai.client.inference.operation.details": {
    attributes: INFERENCE,
    texts: "gen_ai.system_instructions gen_ai.input.messages gen_ai.output.messages"
  },
  "gemini_cli.flash_fallback": { attributes: "auth_type" },
  "gemini_cli.ripgrep_fallback": { attributes: "error" },
  "gemini_cli.web_fetch_fallback_attempt": { attributes: "reason" },
  loop_detected: { attributes: "loop_type prompt_id count confirmed_by_model confidence", texts: "analysis" },
  loop_detection_disabled: { attributes: "prompt_id" },
  "gemini_cli.llm_loop_check": { attributes: "prompt_id flash_confidence main_model main_model_confidence" },
  "gemini_cli.next_speaker_check": { attributes: "prompt_id finish_reason result" },
  "gemini_cli.slash_command": { attributes: "command subcommand status extension_id" },
  "gemini_cli.slash_command.model": { attributes: "model_name" },
  "gemini_cli.rewind": { attributes: "outcome" },
  "gemini_cli.chat_compression": { attributes: "tokens_before tokens_after" },
  "gemini_cli.tool_output_truncated": {
    attributes: "eventName tool_name original_content_length truncated_content_length threshold prompt_id"
  },
  "gemini_cli.tool_output_masking": {
    attributes: "tokens_before tokens_after masked_count total_prunable_tokens"
  },
  "gemini_cli.malformed_json_response": { attributes: "model" },
  "gemini_cli.chat.invalid_chunk": { attributes: "error.message" },
  "gemini_cli.chat.content_retry": { attributes: "attempt_number error_type retry_delay_ms model" },
  "gemini_cli.chat.content_retry_failure": {
    attributes: "total_attempts final_error_type total_duration_ms model"
  },
  "gemini_cli.network_retry_attempt": { attributes: "attempt max_attempts error_type delay_ms model" },
  "gemini_cli.model_routing": {
    attributes:
      "decision_model decision_source routing_latency_ms failed approval_mode error_message enable_numerical_routing " +
      "classifier_threshold",
    texts: "reasoning"
  },
  "gemini_cli.conversation_finished": { attributes: "approvalMode turnCount" },
  "gemini_cli.edit_strategy": { attributes: "strategy" },
  "gemini_cli.edit_correction": { attributes: "correction" },
  "gemini_cli.ide_connection": { attributes: "connection_type" },
  "gemini_cli.extension_install": { attributes: "extension_name extension_version extension_source status" },
  "gemini_cli.extension_uninstall": { attributes: "extension_name status" },
  "gemini_cli.extension_update": {
    attributes: "extension_name extension_version extension_previous_version extension_source status"
  },
  "gemini_cli.extension_enable": { attributes: "extension_name setting_scope" },
  "gemini_cli.extension_disable": { attributes: "extension_name setting_scope" },
  "gemini_cli.agent.start": { attributes: "agent_id agent_name" },
  "gemini_cli.agent.finish": { attributes: "agent_id agent_name duration_ms turn_count terminate_reason" },
  "gemini_cli.agent.recovery_attempt": {
    attributes: "agent_id agent_name reason duration_ms success turn_count"
  },
  "gemini_cli.hook_call": {
    attributes: "hook_event_name hook_type hook_name duration_ms success exit_code error",
    texts: "hook_input hook_output stdout stderr"
  },
  "gemini_cli.plan.approval_mode_switch": { attributes: "from_mode to_mode" },
  "gemini_cli.plan.approval_mode_duration": { attributes: "mode duration_ms" },
  "gemini_cli.plan.execution": { attributes: "approval_mode" },
  "gemini_cli.startup_stats": { attributes: "phases os_platform os_release is_docker" },
  "gemini_cli.keychain.availability": { attributes: "available" },
  "gemini_cli.token_storage.initialization": { attributes: "type forced" },
  "gemini_cli.overage_menu_shown": { attributes: "model credit_balance overage_strategy" },
  "gemini_cli.overage_option_selected": { attributes: "model selected_option credit_balance" },
  "gemini_cli.empty_wallet_menu_shown": { attributes: "model" },
  "gemini_cli.credit_purchase_click": { attributes: "source model" },
  "gemini_cli.credits_used": { attributes: "model credits_consumed credits_remaining" },
  "gemini_cli.api_key_updated": { attributes: "previous_auth_type new_auth_type" },
  end_session: { attributes: "session_id" }
}

/** Of parts that this program does not have, or that mean nothing to a conversation in lines. */
export const LEFT_OUT_EVENTS = [
  "gemini_cli.onboarding.start",
  "gemini_cli.onboarding.success",
  "gemini_cli.conseca.policy_generation",
  "gemini_cli.conseca.verdict"
]

/** By name: attributes. */
export const COUNTERS: Readonly<Record<string, string>> = {
  "gemini_cli.session.count": "",
  "gemini_cli.tool.call.count": "function_name success decision tool_type",
  "gemini_cli.api.request.count": "model status_code error_type",
  "gemini_cli.token.usage": "model type",
  "gemini_cli.file.operation.count": "operation lines mimetype extension programming_language",
  "gemini_cli.lines.changed": "function_name type",
  "gemini_cli.chat.invalid_chunk.count": "",
  "gemini_cli.chat.content_retry.count": "",
  "gemini_cli.chat.content_retry_failure.count": "",
  "gemini_cli.network_retry.count": "model attempt",
  "gemini_cli.model_routing.failure.count": "routing.decision_source routing.error_message",
  "gemini_cli.slash_command.model.call_count": "slash_command.model.model_name",
  "gemini_cli.chat_compression": "tokens_before tokens_after",
  "gemini_cli.agent.run.count": "agent_name terminate_reason",
  "gemini_cli.agent.recovery_attempt.count": "agent_name reason success",
  "gemini_cli.hook_call.count": "hook_event_name hook_name success",
  "gemini_cli.exit.fail.count": "",
  "gemini_cli.plan.execution.count": "approval_mode",
  "gemini_cli.keychain.availability.count": "available",
  "gemini_cli.overage_option.count": "selected_option model",
  "gemini_cli.credit_purchase.count": "source model",
  "gemini_cli.token_storage.type.count": "type forced"
}

const CONVENTIONS =
  "gen_ai.operation.name gen_ai.provider.name gen_ai.request.model gen_ai.response.model server.address server.port"

/** By name: unit, attributes. */
export const HISTOGRAMS: Readonly<Record<string, readonly [unit: string, attributes: string]>> = {
  "gemini_cli.tool.call.latency": ["ms", "function_name"],
  "gemini_cli.api.request.latency": ["ms", "model"],
  "gemini_cli.model_routing.latency": ["ms", "routing.decision_model routing.decision_source"],
  "gemini_cli.agent.duration": ["ms", "agent_name"],
  "gemini_cli.agent.turns": ["turns", "agent_name"],
  "gemini_cli.agent.recovery_attempt.duration": ["ms", "agent_name"],
  "gemini_cli.hook_call.latency": ["ms", "hook_event_name hook_name success"],
  "gen_ai.client.token.usage": ["token", `${CONVENTIONS} gen_ai.token.type`],
  "gen_ai.client.operation.duration": ["s", `${CONVENTIONS} error.type`],
  "gemini_cli.startup.duration": ["ms", "phase details"],
  "gemini_cli.memory.usage": ["bytes", "memory_type component"],
  "gemini_cli.cpu.usage": ["percent", "component"],
  "gemini_cli.event_loop.delay": ["ms", "percentile component"],
  "gemini_cli.tool.queue.depth": ["count", ""],
  "gemini_cli.tool.execution.breakdown": ["ms", "function_name phase"],
  "gemini_cli.api.request.breakdown": ["ms", "model phase"],
  "gemini_cli.token.efficiency": ["ratio", "model metric context"]
}

export const SPANS = [
  "llm_call",
  "tool_call",
  "user_prompt",
  "system_prompt",
  "agent_call",
  "schedule_tool_calls",
  // Requests over HTTP are named by their method.
  "GET",
  "POST"
]

export const wordsOf = (text: string): ReadonlyArray<string> => text.split(" ").filter((word) => word !== "")
