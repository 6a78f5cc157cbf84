import type { Actor } from '#kernel/actor.ts'
import type { Plan } from '#kernel/plan.ts'
import type { ToolView } from './tools.ts'

/** Who calls, and which tools they asked to see. */
export interface Caller {
  readonly actor: Actor
  /** Of the actor's default workspace. */
  readonly plan: Plan
  readonly view: ToolView
  /** The list of tools is inserted into the serialised answer: see `splice-list.ts`. */
  readonly isListSpliced?: boolean
}
