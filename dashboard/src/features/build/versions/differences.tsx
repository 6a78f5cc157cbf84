import { Equal } from '#ui/icons.ts'
import { EmptyState } from '#components/states.tsx'
import type { Agent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { settingRows } from './setting-rows.ts'
import { TextDiff } from './text-diff.tsx'

export interface DifferencesProps {
  readonly before: Agent
  readonly after: Agent
}

/** The settings in which two agents, or two versions of one, differ. */
export function Differences({ before: earlier, after: later }: DifferencesProps) {
  const rows = settingRows(later)
  const changed = settingRows(earlier).flatMap((before) => {
    const after = rows.find(({ key }) => key === before.key)
    return after === undefined || after.text === before.text ? [] : [{ before, after }]
  })
  if (changed.length === 0)
    return (
      <EmptyState
        icon={Equal}
        title={t('build.versions.same')}
        hint={t('build.versions.sameHint')}
      />
    )
  return (
    <>
      <p className="mb-4 text-sm text-soft">
        {t('build.versions.changed', { count: changed.length })}
      </p>
      <dl className="flex flex-col gap-5">
        {changed.map(({ before, after }) => (
          <div key={before.key}>
            <dt className="mb-1.5 text-sm font-medium">{before.label}</dt>
            <dd>
              <TextDiff
                label={before.label}
                before={before.text}
                after={after.text}
                isProse={before.isProse}
              />
            </dd>
          </div>
        ))}
      </dl>
    </>
  )
}
