import { useAgent } from '#features/agents/index.ts'
import { Card } from '#ui/surfaces.tsx'
import { settingRows } from './setting-rows.ts'

/** The settings as text, for viewers. */
export function SettingsSummary() {
  const rows = settingRows(useAgent()).filter(({ text }) => text !== '')
  return (
    <Card className="py-1 sm:py-2">
      <dl className="divide-y divide-line text-sm">
        {rows.map(({ key, label, text }) => (
          <div key={key} className="grid gap-x-6 gap-y-1 py-3.5 sm:grid-cols-[10rem_1fr]">
            <dt className="text-soft">{label}</dt>
            <dd className="min-w-0 break-words whitespace-pre-wrap">{text}</dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}
