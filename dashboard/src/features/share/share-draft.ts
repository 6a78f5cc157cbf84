/** Those of `value` that differ from what is saved. */
export function changedSettings<Settings extends object>(
  saved: Settings,
  value: Settings,
): Partial<Settings> {
  const before = new Map<string, unknown>(Object.entries(saved))
  const changed = Object.entries(value).filter(
    ([name, after]) => JSON.stringify(after) !== JSON.stringify(before.get(name)),
  )
  return Object.fromEntries(changed) as Partial<Settings> // a part of `value`
}

/** The pages whose form has the draft of the chat page, by the agent that they belong to. */
const withDraft = /^(.*\/share\/)(?:page|look|widget|visitors)$/

/** Whether both paths are parts of *Share* of one agent, which show the same draft. */
export function sharesDraft(current: string, next: string): boolean {
  const agent = withDraft.exec(current)?.[1]
  return agent !== undefined && agent === withDraft.exec(next)?.[1]
}
