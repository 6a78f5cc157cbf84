import { Link, type LinkProps } from '@tanstack/react-router'
import { ArrowRight } from '#ui/icons.ts'
import type { OutputOf } from '#api/call-operation.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { DialogActions } from '#ui/dialog.tsx'

type Imported = OutputOf<'import_app'>

/** What an import leaves out, each with a link to where it is set up. */
export function ImportNeeds({ imported }: { readonly imported: Imported }) {
  const params = { appId: imported.app_name_id }
  return (
    <>
      <ul className="flex flex-col gap-2">
        {imported.needs.map((need) => (
          <li key={`${need.kind} ${need.name}`}>
            <Link
              {...wayTo(need, params)}
              className="group flex items-center gap-3 rounded-xl border border-line px-4 py-3 text-sm hover:border-field-line"
            >
              <span className="min-w-0 flex-1 font-medium break-words">
                {t(`agents.importNeeds.${need.kind}`, { name: need.name })}
              </span>
              <ArrowRight className="size-4 shrink-0 text-soft group-hover:text-ink" aria-hidden />
            </Link>
          </li>
        ))}
      </ul>
      <DialogActions>
        <Button look="primary" render={<Link to="/agents/$appId/build" params={params} />}>
          {t('agents.importOpen')}
        </Button>
      </DialogActions>
    </>
  )
}

type Way = Pick<LinkProps, 'to' | 'params' | 'search'>

function wayTo({ kind, name }: Imported['needs'][number], params: { readonly appId: string }): Way {
  if (kind === 'variable')
    return { to: '/agents/$appId/build/variables', params, search: { edit: name } }
  if (kind === 'mcp_server')
    return { to: '/agents/$appId/build/servers', params, search: { add: true } }
  if (kind === 'knowledge_source')
    return { to: '/agents/$appId/knowledge', params, search: { add: 'pages' } }
  return { to: '/settings/providers' }
}
