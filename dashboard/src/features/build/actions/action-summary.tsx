import { t } from '#texts/t.ts'
import { Card } from '#ui/surfaces.tsx'
import { draftOfAction, type Action } from './action-draft.ts'

/** An action as text, for viewers. */
export function ActionSummary({ action }: { readonly action: Action }) {
  const { parameters } = draftOfAction(action)
  const rows = [
    { label: t('build.actions.name'), text: action.name },
    { label: t('build.actions.description'), text: action.description },
    { label: t('build.actions.request'), text: `${action.method} ${action.url}` },
    {
      label: t('build.actions.parameters'),
      text: parameters
        .map(
          ({ key, in: place, source }) =>
            `${key} · ${t(`build.actions.places.${place}`)} · ${t(`build.actions.sources.${source}`)}`,
        )
        .join('\n'),
    },
    {
      label: t('build.actions.enabled'),
      text: action.enabled ? t('common.yes') : t('common.no'),
    },
    {
      label: t('build.actions.confirm'),
      text: action.requires_confirmation ? t('common.yes') : t('common.no'),
    },
  ]
  return (
    <Card className="py-1 sm:py-2">
      <dl className="divide-y divide-line text-sm">
        {rows
          .filter(({ text }) => text !== '')
          .map(({ label, text }) => (
            <div key={label} className="grid gap-x-6 gap-y-1 py-3.5 sm:grid-cols-[10rem_1fr]">
              <dt className="text-soft">{label}</dt>
              <dd className="min-w-0 break-words whitespace-pre-wrap">{text}</dd>
            </div>
          ))}
      </dl>
    </Card>
  )
}
