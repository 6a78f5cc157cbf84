import { Link } from '@tanstack/react-router'
import type { OutputOf } from '#api/call-operation.ts'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Card, CardHeading } from '#ui/surfaces.tsx'

/** The imported actions, and what to set up before they work. */
export function ImportResult({ result }: { readonly result: OutputOf<'import_custom_actions'> }) {
  const params = { appId: useAgent().app_name_id }
  return (
    <Card>
      <CardHeading title={t('build.actions.made', { count: result.actions.length })} />
      <ul className="flex flex-col gap-1.5 text-sm">
        {result.actions.map(
          ({ id, name, title }) =>
            id !== null && (
              <li key={id}>
                <Link
                  to="/agents/$appId/build/actions/$actionId"
                  params={{ ...params, actionId: id }}
                  className="rounded text-accent underline underline-offset-2"
                >
                  {title || name}
                </Link>
              </li>
            ),
        )}
      </ul>
      {result.variables.length > 0 && (
        <section className="mt-6">
          <h3 className="text-sm font-medium">{t('build.actions.needed')}</h3>
          <ul className="mt-2 flex flex-col gap-2">
            {result.variables.map(({ name, about }) => (
              <li key={name} className="flex flex-wrap items-center gap-3 text-sm">
                <Button
                  size="small"
                  render={
                    <Link
                      to="/agents/$appId/build/variables"
                      params={params}
                      search={{ edit: name }}
                    />
                  }
                >
                  {t('build.actions.setNeeded', { name })}
                </Button>
                <span className="min-w-0 break-words text-soft">{about}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <Button className="mt-6" render={<Link to="/agents/$appId/build/actions" params={params} />}>
        {t('build.actions.back')}
      </Button>
    </Card>
  )
}
