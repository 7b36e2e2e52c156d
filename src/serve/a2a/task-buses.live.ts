/**
 * The lines on which a task is told. Every message to it has one of its own, to whoever sent it; those who only listen, and
 * those who cancel, hear all of them on another.
 */
import { TaskState as States, type TaskState } from "@a2a-js/sdk"
import { type AgentExecutionEvent, DefaultExecutionEventBus, type ExecutionEventBusManager } from "@a2a-js/sdk/server"

const FINAL: ReadonlyArray<TaskState | undefined> = [
  States.TASK_STATE_COMPLETED,
  States.TASK_STATE_FAILED,
  States.TASK_STATE_CANCELED,
  States.TASK_STATE_REJECTED
]

class CallerBus extends DefaultExecutionEventBus {
  readonly #everybody: DefaultExecutionEventBus
  constructor(everybody: DefaultExecutionEventBus) {
    super()
    this.#everybody = everybody
  }
  override publish(event: AgentExecutionEvent): void {
    super.publish(event)
    this.#everybody.publish(event)
  }
}

export const makeTaskBuses = (): ExecutionEventBusManager => {
  const shared = new Map<string, DefaultExecutionEventBus>()
  const forget = (taskId: string) => {
    shared.get(taskId)?.finished()
    shared.get(taskId)?.removeAllListeners()
    shared.delete(taskId)
  }
  return {
    createOrGetByTaskId: (taskId) => {
      const everybody = shared.get(taskId) ?? new DefaultExecutionEventBus()
      shared.set(taskId, everybody)
      return new CallerBus(everybody)
    },
    getByTaskId: (taskId) => shared.get(taskId),
    cleanupByTaskId: forget,
    settleByTaskId: (taskId, bus, lastState) => {
      bus.finished()
      bus.removeAllListeners()
      if (FINAL.includes(lastState)) forget(taskId)
      return true
    }
  }
}
