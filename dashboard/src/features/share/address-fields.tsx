import { useMe } from '#api/me.ts'
import { useOperationMutation } from '#api/use-operation.ts'
import { CopyButton } from '#components/copy-button.tsx'
import { ErrorNotice } from '#components/error-notice.tsx'
import { formatDateTime } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Field, Input } from '#ui/field.tsx'
import { Notice } from '#ui/surfaces.tsx'
import type { ChatPage, FieldsProps } from './chat-page-fields.tsx'

/** Where the page is: a name of its own in the service's address, and a domain. */
export function AddressFields(props: FieldsProps & { readonly page: ChatPage }) {
  const { value, page, change } = props
  const { base_url: baseUrl } = useMe()
  const isSaved = value.domain === page.domain && page.domain_check !== null
  return (
    <fieldset className="grid gap-5 sm:grid-cols-2">
      <legend className="mb-4 text-sm font-semibold">{t('chatPage.addresses')}</legend>
      <Field label={t('chatPage.slug')} hint={t('chatPage.slugHint')}>
        <Input
          maxLength={60}
          autoCapitalize="off"
          spellCheck={false}
          placeholder={`${baseUrl ?? location.origin}/chat/…`}
          value={value.slug}
          onChange={(event) => change({ slug: event.currentTarget.value.trim().toLowerCase() })}
        />
      </Field>
      <Field label={t('chatPage.domain')} hint={t('chatPage.domainHint')}>
        <Input
          maxLength={300}
          autoCapitalize="off"
          spellCheck={false}
          inputMode="url"
          value={value.domain}
          onChange={(event) => change({ domain: event.currentTarget.value.trim() })}
        />
      </Field>
      {isSaved && <DomainProof appId={page.app_id} check={page.domain_check} />}
    </fieldset>
  )
}

type Check = NonNullable<ChatPage['domain_check']>

const tones = { waiting: 'warn', served: 'good', lost: 'bad' } as const

/** The records that prove the domain, and how far the proof is. */
function DomainProof({ appId, check }: { readonly appId: string; readonly check: Check }) {
  const again = useOperationMutation('check_chat_domain', { refreshes: ['get_chat_page'] })
  const { state, problem, stops_at: stopsAt, checked_at: checkedAt } = check
  return (
    <section className="flex flex-col gap-4 sm:col-span-2">
      <Notice tone={tones[state]} title={t(`chatPage.domainState.${state}`)}>
        {problem !== null && <p>{t(`chatPage.domainProblem.${problem}`)}</p>}
        {stopsAt !== null && <p>{t('chatPage.domainStops', { time: formatDateTime(stopsAt) })}</p>}
        {checkedAt !== null && (
          <p>{t('chatPage.domainChecked', { time: formatDateTime(checkedAt) })}</p>
        )}
      </Notice>
      <p className="text-sm text-soft">{t('chatPage.domainRecords')}</p>
      <dl className="grid gap-3">
        <DnsValue label={t('chatPage.txtName')} value={check.txt_name} />
        <DnsValue label={t('chatPage.txtValue')} value={check.txt_value} />
        <DnsValue label={t('chatPage.target')} value={check.target} />
      </dl>
      <div>
        <Button busy={again.isPending} onClick={() => again.mutate({ app_id: appId })}>
          {t('chatPage.checkNow')}
        </Button>
      </div>
      <ErrorNotice error={again.error} />
    </section>
  )
}

function DnsValue({ label, value }: { readonly label: string; readonly value: string }) {
  return (
    <div className="min-w-0">
      <dt className="text-sm text-soft">{label}</dt>
      <dd className="flex items-center justify-between gap-4">
        <span className="min-w-0 font-mono text-sm break-all">{value}</span>
        <CopyButton text={value} label={label} />
      </dd>
    </div>
  )
}
