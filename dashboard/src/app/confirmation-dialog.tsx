import { useEffect, useState, useSyncExternalStore, type FormEvent } from 'react'
import {
  answerOfPasskey,
  beginConfirmation,
  confirmationQuestion,
  confirmIdentity,
  type ConfirmationWays,
  type Proof,
} from '#api/confirmation.ts'
import { OperationError } from '#api/operation-error.ts'
import { messageOf } from '#components/message-of.ts'
import { LoadingRows } from '#components/states.tsx'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Dialog, DialogActions } from '#ui/dialog.tsx'
import { Field, Input } from '#ui/field.tsx'
import { Notice } from '#ui/surfaces.tsx'

/** Asks who the user is when an operation needs it; the operation is then repeated. */
export function ConfirmationDialog() {
  const asking = useSyncExternalStore(confirmationQuestion.subscribe, confirmationQuestion.current)
  return (
    <Dialog
      open={asking !== null}
      onOpenChange={() => asking?.answer(false)}
      title={t('confirmation.title')}
      description={t('confirmation.hint')}
      closeLabel={t('common.close')}
      isAbove
    >
      {asking !== null && <Ways onConfirmed={() => asking.answer(true)} />}
    </Dialog>
  )
}

function Ways({ onConfirmed }: { readonly onConfirmed: () => void }) {
  const [ways, setWays] = useState<ConfirmationWays | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setIsBusy] = useState(false)

  useEffect(() => {
    beginConfirmation().then(setWays, setError)
  }, [])

  async function prove(proof: Proof | Promise<Proof>): Promise<void> {
    setIsBusy(true)
    setError(null)
    try {
      await confirmIdentity(await proof)
      onConfirmed()
    } catch (cause) {
      setError(cause)
      // The challenge of a passkey can be answered once.
      if (ways?.passkey) setWays(await beginConfirmation().catch(() => ways))
    } finally {
      setIsBusy(false)
    }
  }

  const shared = { isBusy, onProof: (proof: Proof | Promise<Proof>) => void prove(proof) }
  return (
    <div className="flex flex-col gap-4">
      {error !== null && <Notice tone="bad">{problemOf(error)}</Notice>}
      {ways === null && error === null && <LoadingRows rows={1} />}
      {ways?.provider && <AtProvider provider={ways.provider} />}
      {ways?.password === true && <PasswordForm {...shared} />}
      {ways?.passkey && <PasskeyButton {...shared} passkey={ways.passkey} />}
      {ways?.code === true && <CodeForm {...shared} hasApp={ways.app} />}
    </div>
  )
}

interface WayProps {
  readonly isBusy: boolean
  onProof(proof: Proof | Promise<Proof>): void
}

function PasswordForm({ isBusy, onProof }: WayProps) {
  return (
    <SecretForm
      isBusy={isBusy}
      label={t('confirmation.password')}
      type="password"
      autoComplete="current-password"
      onSubmit={(password) => onProof({ password })}
    />
  )
}

function CodeForm({ isBusy, onProof, hasApp }: WayProps & { readonly hasApp: boolean }) {
  return (
    <SecretForm
      isBusy={isBusy}
      label={hasApp ? t('confirmation.code') : t('confirmation.recoveryCode')}
      hint={hasApp ? t('confirmation.appHint') : t('confirmation.recoveryHint')}
      type="text"
      autoComplete="one-time-code"
      onSubmit={(code) => onProof({ code })}
    />
  )
}

interface SecretFormProps {
  readonly label: string
  readonly hint?: string
  readonly type: 'password' | 'text'
  readonly autoComplete: string
  readonly isBusy: boolean
  onSubmit(typed: string): void
}

function SecretForm({ label, hint, isBusy, onSubmit, ...input }: SecretFormProps) {
  const [typed, setTyped] = useState('')
  function submit(event: FormEvent): void {
    event.preventDefault()
    onSubmit(typed)
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <Field label={label} {...(hint === undefined ? {} : { hint })}>
        <Input
          {...input}
          required
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      </Field>
      <DialogActions>
        <Button look="primary" type="submit" busy={isBusy}>
          {t('confirmation.confirm')}
        </Button>
      </DialogActions>
    </form>
  )
}

function PasskeyButton({
  isBusy,
  onProof,
  passkey,
}: WayProps & { readonly passkey: NonNullable<ConfirmationWays['passkey']> }) {
  const answer = async (): Promise<Proof> => ({ passkey: await answerOfPasskey(passkey) })
  return (
    <>
      <Button look="primary" busy={isBusy} onClick={() => onProof(answer())}>
        {t('confirmation.passkey')}
      </Button>
      <p className="text-center text-sm text-soft">{t('confirmation.or')}</p>
    </>
  )
}

function AtProvider({
  provider,
}: {
  readonly provider: NonNullable<ConfirmationWays['provider']>
}) {
  const back = `${location.pathname}${location.search}`
  const address = `${provider.path}&return_to=${encodeURIComponent(back)}`
  return (
    <div className="flex flex-col gap-3">
      <p className="text-sm text-soft">{t('confirmation.providerHint')}</p>
      <Button look="primary" render={<a href={address} />}>
        {t('confirmation.provider', { name: provider.name })}
      </Button>
    </div>
  )
}

function problemOf(error: unknown): string {
  return error instanceof OperationError ? messageOf(error) : t('confirmation.passkeyFailed')
}
