import { html } from 'hono/html'
import type { Pickable } from '#features/reach/index.ts'
import type { Workspace } from '#features/workspaces/index.ts'
import type { Html } from '#surfaces/http/page.ts'

/** As many agents as a person can choose from on one page. They find others by name. */
export const maxAgents = 200

export const maxSearchLength = 200

export interface ReachView {
  readonly workspaces: readonly Workspace[]
  /** The agents of these workspaces that the person can bind the grant to. */
  readonly agents: readonly Pickable[]
  /** There are others, or others that match the search. */
  readonly hasMore: boolean
  /** The ids that are checked: none, until the page is shown again. */
  readonly picked: readonly string[]
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
    ${workspaces.map((workspace) => workspaceFieldset(workspace, view))}
  </details>`
}

function isUsed({ picked, search }: ReachView): boolean {
  return picked.length > 0 || search !== ''
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
  const checked = (one: string) => checkedIf(view.picked.includes(one))
  const agents = view.agents.filter(({ workspaceId }) => workspaceId === id)
  return html`<fieldset>
    <legend>${name}</legend>
    <label class="choice">
      <input type="checkbox" name="reach_workspace" value="${id}" ${checked(id)} />
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
                    ${checked(agent.id)}
                  />
                  <span>${agent.name}</span>
                </label>`,
            )}
          </div>`
    }
  </fieldset>`
}

export function checkedIf(is: boolean): Html | null {
  return is ? html`checked` : null
}
