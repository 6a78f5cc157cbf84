import { html } from 'hono/html'
import type { Pickable } from '#features/reach/index.ts'
import type { Workspace } from '#features/workspaces/index.ts'
import type { Html } from '#surfaces/http/page.ts'

/** More agents than a person can choose from on one page. */
export const maxAgents = 200

export interface ReachView {
  readonly workspaces: readonly Workspace[]
  /** The agents of these workspaces that the person can bind the grant to. */
  readonly agents: readonly Pickable[]
  /** The ids that are checked: none, until the page is shown again. */
  readonly picked: readonly string[]
}

/**
 * Lets the person bind the grant to workspaces and agents. It is closed at first: a person who
 * picks nothing authorizes as before. It works without scripts.
 */
export function reachChoice(view: ReachView): Html {
  const { workspaces, agents, picked } = view
  return html`<details class="more" ${picked.length > 0 ? html`open` : null}>
    <summary>Limit it to some workspaces or agents</summary>
    <p class="hint">
      With nothing checked here, it can act wherever you can. A workspace includes all of its
      agents, also those created later.
    </p>
    ${workspaces.map((workspace) => workspaceFieldset(workspace, view))}
    ${
      agents.length < maxAgents
        ? null
        : html`<p class="hint">
            Only your ${maxAgents} newest agents are listed. For an older one, pick its workspace,
            or create a developer key.
          </p>`
    }
  </details>`
}

function workspaceFieldset({ id, name }: Workspace, view: ReachView): Html {
  const agents = view.agents.filter(({ workspaceId }) => workspaceId === id)
  return html`<fieldset>
    <legend>${name}</legend>
    <label class="choice">
      <input type="checkbox" name="reach_workspace" value="${id}" ${checkedIf(view, id)} />
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
                    ${checkedIf(view, agent.id)}
                  />
                  <span>${agent.name}</span>
                </label>`,
            )}
          </div>`
    }
  </fieldset>`
}

function checkedIf({ picked }: ReachView, id: string): Html | null {
  return picked.includes(id) ? html`checked` : null
}
