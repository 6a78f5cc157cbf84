import { useNavigate } from '@tanstack/react-router'
import { ChevronsUpDown } from '#ui/icons.ts'
import type { Me } from '#api/me.ts'
import { useWorkspace } from '#api/workspace.ts'
import { t } from '#texts/t.ts'
import { Menu, MenuChoice } from '#ui/menu.tsx'

/** Switches by URL, to the agents page, which every workspace has. */
export function WorkspaceSwitcher({ me }: { readonly me: Me }) {
  const workspace = useWorkspace()
  const navigate = useNavigate()
  return (
    <Menu
      align="start"
      trigger={
        <button
          type="button"
          className="flex w-full items-center gap-2.5 rounded-xl border border-line bg-card px-3 py-2 text-left hover:bg-hover"
        >
          <span
            aria-hidden
            className="flex size-7 shrink-0 items-center justify-center rounded-lg bg-accent-ground text-sm font-semibold text-accent"
          >
            {initialOf(workspace.name)}
          </span>
          <span className="min-w-0 flex-1 leading-tight">
            <span className="sr-only">{t('shell.switchWorkspace')}</span>
            <span className="block truncate text-sm font-medium">{workspace.name}</span>
            <span className="block text-xs text-soft">
              {t(`shell.plans.${workspace.plan}`)} · {t(`shell.roles.${workspace.role}`)}
            </span>
          </span>
          <ChevronsUpDown className="size-4 shrink-0 text-soft" aria-hidden />
        </button>
      }
    >
      <MenuChoice
        label={t('shell.workspace')}
        value={workspace.id}
        choices={me.workspaces.map(({ id, name }) => ({ value: id, label: name }))}
        onChange={(id) =>
          void navigate({
            to: '/agents',
            search: id === me.default_workspace_id ? { workspace: undefined } : { workspace: id },
          })
        }
      />
    </Menu>
  )
}

function initialOf(name: string): string {
  const [first = '?'] = new Intl.Segmenter().segment(name.trim())
  return (typeof first === 'string' ? first : first.segment).toUpperCase()
}
