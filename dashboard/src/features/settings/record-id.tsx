import { CopyButton } from '#components/copy-button.tsx'
import { t } from '#texts/t.ts'

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** What a log refers to, where no record with a name was found. People read no ids: they are a tooltip. */
export function Unnamed({ target }: { readonly target: string }) {
  if (!uuid.test(target)) return <span className="font-mono break-all">{target}</span>
  return <span title={target}>{t('settings.records.unnamed')}</span>
}

/** Copies the id of what a log refers to. */
export function CopyId({ id }: { readonly id: string }) {
  if (!uuid.test(id)) return null
  return <CopyButton text={id} label={t('settings.records.id')} />
}

/** An id among other values, short enough to compare it with others. */
export function ShortId({ id }: { readonly id: string }) {
  return <span title={id}>{`…${id.slice(-8)}`}</span>
}
