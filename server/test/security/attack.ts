/** An attack on the service, what prevents it, and the tests that try it. */
export interface Attack {
  readonly attack: string
  /** What prevents it. */
  readonly defence: string
  readonly tests: readonly TestSet[]
}

/** A test file below `server`, or only its tests whose title contains one of the texts. */
export type TestSet = string | { readonly file: string; readonly titles: readonly string[] }

export interface AttackGroup {
  readonly title: string
  readonly attacks: readonly Attack[]
}
