import { Plus, X } from '#ui/icons.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Input } from '#ui/field.tsx'
import { Card, CardHeading } from '#ui/surfaces.tsx'
import type { HeaderDraft } from './action-draft.ts'
import type { ActionForm } from './use-action-form.ts'

/** The headers of every call. */
export function HeaderFields({ form }: { readonly form: ActionForm }) {
  const { headers, setHeaders } = form
  const set = (index: number, part: Partial<HeaderDraft>) =>
    setHeaders(headers.map((one, at) => (at === index ? { ...one, ...part } : one)))
  return (
    <Card>
      <CardHeading title={t('build.actions.headers')} hint={t('build.actions.headersHint')} />
      <ul className="flex flex-col gap-2">
        {headers.map((header, index) => {
          const number = index + 1
          return (
            // Rows have no identity other than their position.
            <li key={index} className="flex items-center gap-2">
              <div className="grid min-w-0 flex-1 gap-2 sm:grid-cols-[2fr_3fr]">
                <Input
                  aria-label={t('build.actions.header', { number })}
                  placeholder="Authorization"
                  maxLength={200}
                  spellCheck={false}
                  value={header.name}
                  onChange={(event) => set(index, { name: event.currentTarget.value })}
                />
                <Input
                  aria-label={t('build.actions.headerValue', { number })}
                  placeholder="Bearer {{var.TOKEN}}"
                  maxLength={8000}
                  spellCheck={false}
                  value={header.value}
                  onChange={(event) => set(index, { value: event.currentTarget.value })}
                />
              </div>
              <Button
                look="quiet"
                size="icon"
                aria-label={t('build.actions.removeHeader', { number })}
                onClick={() => setHeaders(headers.toSpliced(index, 1))}
              >
                <X aria-hidden />
              </Button>
            </li>
          )
        })}
      </ul>
      <Button
        size="small"
        look="quiet"
        className="mt-2 -ml-3"
        onClick={() => setHeaders([...headers, { name: '', value: '' }])}
      >
        <Plus aria-hidden />
        {t('build.actions.addHeader')}
      </Button>
    </Card>
  )
}
