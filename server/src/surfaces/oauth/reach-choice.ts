import { html } from 'hono/html'
import type { Pickable } from '#features/reach/index.ts'
import type { Workspace } from '#features/workspaces/index.ts'
import type { Html } from '#surfaces/http/page.ts'

/** As many agents as a person can choose from on one page. They find others by name. */
export const maxAgents = 200

export const maxSearchLength = 200

/** The ids in a form, which can contain anything. */
export interface Picked {
  readonly workspaces: readonly string[]
  readonly agents: readonly string[]
}

export interface ReachView {
  readonly workspaces: readonly Workspace[]
  /** The agents of these workspaces that the person can bind the grant to. */
  readonly agents: readonly Pickable[]
  /** There are others, or others that match the search. */
  readonly hasMore: boolean
  /** The ids that are checked: none, until the page is shown again. */
  readonly picked: Picked
  /** The part of a name that the person looked for; empty: no search. */
  readonly search: string
  /** The page's address, to which the search is sent. */
  readonly searchPath: string
}

/**
 * Lets the person bind the grant to workspaces and agents. It is closed at first: a person who
 * picks nothing authorizes as before. It works without scripts.
 */
export function reachChoice(view: ReachView): Html {
  const { workspaces, search } = view
  return html`<details id="reach" class="more" ${isUsed(view) ? html`open` : null}>
    <summary>Limit it to some workspaces or agents</summary>
    <p class="hint">
      With nothing checked here, it can act wherever you can. A workspace includes all of its
      agents, also those created later.
    </p>
    ${view.hasMore || search !== '' ? agentSearch(view) : null}
    ${workspaces.map((workspace) => workspaceFieldset(workspace, view))} ${unlisted(view)}
  </details>`
}

function isUsed({ picked, search }: ReachView): boolean {
  return picked.workspaces.length > 0 || picked.agents.length > 0 || search !== ''
}

/** It comes before Authorize, so the Enter key in it searches. */
function agentSearch({ search, searchPath, hasMore }: ReachView): Html {
  const found = search === '' ? `Your ${maxAgents} newest agents are listed` : 'Matches are listed'
  const more = search === '' ? 'Find others by name.' : 'More agents match: enter more of the name.'
  return html`<div class="field">
    <label for="agents_like">Find an agent</label>
    <div class="search">
      <input
        id="agents_like"
        type="text"
        name="agents_like"
        value="${search}"
        maxlength="${maxSearchLength}"
        autocomplete="off"
        aria-describedby="agents_like_hint"
      />
      <button type="submit" name="decision" value="find" formaction="${searchPath}#reach">
        Find
      </button>
    </div>
    <p class="hint" id="agents_like_hint">
      ${found}, with those that you checked. ${hasMore ? more : null}
    </p>
  </div>`
}

function workspaceFieldset({ id, name }: Workspace, view: ReachView): Html {
  const { picked } = view
  const isWhole = checkedIf(picked.workspaces.includes(id))
  const agents = view.agents.filter(({ workspaceId }) => workspaceId === id)
  return html`<fieldset>
    <legend>${name}</legend>
    <label class="choice">
      <input type="checkbox" name="reach_workspace" value="${id}" ${isWhole} />
      <span>The whole workspace</span>
    </label>
    ${
      agents.length === 0
        ? null
        : html`<div class="choices">
            ${agents.map(
              (agent) =>
                html`<label class="choice">
                  <input
                    type="checkbox"
                    name="reach_agent"
                    value="${agent.id}"
                    ${checkedIf(picked.agents.includes(agent.id))}
                  />
                  <span>${agent.name}</span>
                </label>`,
            )}
          </div>`
    }
  </fieldset>`
}

/**
 * What was picked and is not listed above stays checked: without it, a grant that was limited to an
 * agent that has just been deleted would have no limit.
 */
function unlisted({ workspaces, agents, picked }: ReachView): Html | null {
  const shown = new Set(workspaces.map(({ id }) => id))
  const shownAgents = new Set(
    agents.filter(({ workspaceId }) => shown.has(workspaceId)).map(({ id }) => id),
  )
  const boxes = [
    ...missing(picked.workspaces, shown).map((id) => box('reach_workspace', id, 'A workspace')),
    ...missing(picked.agents, shownAgents).map((id) => box('reach_agent', id, 'An agent')),
  ]
  if (boxes.length === 0) return null
  return html`<fieldset>
    <legend>No longer listed</legend>
    <p class="warning" role="note">
      Something that you checked is no longer listed. If it was deleted, or you left its workspace,
      you cannot authorize until you uncheck it here.
    </p>
    ${boxes}
  </fieldset>`
}

function missing(picked: readonly string[], shown: ReadonlySet<string>): readonly string[] {
  return [...new Set(picked)].filter((id) => !shown.has(id))
}

function box(name: string, id: string, what: string): Html {
  return html`<label class="choice">
    <input type="checkbox" name="${name}" value="${id}" checked />
    <span>${what} that you checked</span>
    <small>${id}</small>
  </label>`
}

export function checkedIf(is: boolean): Html | null {
  return is ? html`checked` : null
}
