import { FileUp } from '#ui/icons.ts'
import { useState } from 'react'
import { textOfFile } from '#components/text-of-file.ts'
import { t } from '#texts/t.ts'
import { Field, Input, TextArea } from '#ui/field.tsx'
import { FileButton } from '#ui/file-button.tsx'
import { RadioGroup } from '#ui/radio-group.tsx'
import { Notice } from '#ui/surfaces.tsx'
import { importKinds, type ImportKind } from '../build-search.ts'

export interface ImportSourceProps {
  readonly from: ImportKind
  readonly text: string
  readonly server: string
  onFrom(from: ImportKind): void
  onChange(part: { readonly text?: string; readonly server?: string }): void
}

/** A curl command, a document, or the URL of a document. */
export function ImportSource({ from, text, server, onFrom, onChange }: ImportSourceProps) {
  return (
    <>
      <RadioGroup
        label={t('build.actions.importFrom')}
        value={from}
        choices={importKinds.map((one) => ({
          value: one,
          label: t(`build.actions.importKinds.${one}`),
        }))}
        onChange={onFrom}
      />
      {from === 'url' ? (
        <Field label={t('build.actions.documentUrl')}>
          <Input
            type="url"
            required
            maxLength={4000}
            placeholder="https://api.example.com/openapi.json"
            value={text}
            onChange={(event) => onChange({ text: event.currentTarget.value })}
          />
        </Field>
      ) : (
        <Field
          label={from === 'curl' ? t('build.actions.curl') : t('build.actions.openapi')}
          {...(from === 'curl'
            ? { hint: t('build.actions.curlHint', { example: '{{name}}' }) }
            : {})}
        >
          <TextArea
            rows={6}
            required
            spellCheck={false}
            className="max-h-96 font-mono text-[0.8125rem]"
            placeholder={from === 'curl' ? curlExample : ''}
            value={text}
            onChange={(event) => onChange({ text: event.currentTarget.value })}
          />
        </Field>
      )}
      {from === 'openapi' && <DocumentButton onText={(read) => onChange({ text: read })} />}
      {from !== 'curl' && (
        <Field label={t('build.actions.server')} hint={t('build.actions.serverHint')}>
          <Input
            type="url"
            maxLength={2000}
            placeholder="https://api.example.com/v1"
            value={server}
            onChange={(event) => onChange({ server: event.currentTarget.value })}
          />
        </Field>
      )}
    </>
  )
}

const curlExample = "curl 'https://api.example.com/orders/{{number}}' -H 'Authorization: Bearer …'"

function DocumentButton({ onText }: { onText(text: string): void }) {
  const [isUnreadable, setIsUnreadable] = useState(false)
  async function read(file: File): Promise<void> {
    const text = await textOfFile(file)
    setIsUnreadable(text === null)
    if (text !== null) onText(text)
  }
  return (
    <>
      <FileButton
        label={t('build.actions.openapiFile')}
        accept=".json,.yaml,.yml"
        onFiles={([file]) => file !== undefined && void read(file)}
        size="small"
        className="-mt-2 self-start"
      >
        <FileUp aria-hidden />
        {t('build.actions.openapiFile')}
      </FileButton>
      {isUnreadable && <Notice tone="bad">{t('common.error.unreadable')}</Notice>}
    </>
  )
}
