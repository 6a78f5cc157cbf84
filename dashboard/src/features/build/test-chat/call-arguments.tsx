import { t } from '#texts/t.ts'

export interface CallArgumentsProps {
  /** What the call does, for people. */
  readonly title: string
  readonly values: Readonly<Record<string, unknown>>
}

/** The arguments of a call as a table. Values that are not texts are shown as JSON. */
export function CallArguments({ title, values }: CallArgumentsProps) {
  const rows = Object.entries(values)
  return (
    <div className="max-h-60 overflow-auto" role="region" aria-label={title} tabIndex={0}>
      <table className="w-full border-collapse text-start text-[0.8125rem]">
        <caption className="pb-1 text-start font-medium break-words">{title}</caption>
        {rows.length > 0 && (
          <thead className="sr-only">
            <tr>
              <th scope="col">{t('build.chat.argument')}</th>
              <th scope="col">{t('build.chat.value')}</th>
            </tr>
          </thead>
        )}
        <tbody>
          {rows.map(([name, value]) => (
            <tr key={name} className="border-t border-line align-top">
              <th scope="row" className="py-1 pr-3 text-start font-normal break-words text-soft">
                {name}
              </th>
              <td dir="auto" className="py-1 break-words whitespace-pre-wrap">
                {typeof value === 'string' ? value : JSON.stringify(value, null, 2)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
