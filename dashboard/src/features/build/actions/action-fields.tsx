import type { OperationError } from '#api/operation-error.ts'
import { t } from '#texts/t.ts'
import { Field, Input, TextArea } from '#ui/field.tsx'
import { Select } from '#ui/select.tsx'
import { Card, CardHeading } from '#ui/surfaces.tsx'
import { Switch } from '#ui/switch.tsx'
import { bodyTypes, methods } from './action-draft.ts'
import { HeaderFields } from './header-fields.tsx'
import { ParameterFields } from './parameter-fields.tsx'
import type { ActionForm } from './use-action-form.ts'

export interface ActionFieldsProps {
  readonly form: ActionForm
  /** The error of the last attempt to save. */
  readonly error: OperationError | null
}

/** All fields of an action. */
export function ActionFields({ form, error }: ActionFieldsProps) {
  const hasBody = form.value.method !== 'GET'
  return (
    <>
      <About form={form} error={error} />
      <Request form={form} error={error} />
      <ParameterFields form={form} />
      <HeaderFields form={form} />
      {hasBody && <Body form={form} />}
      <Answer form={form} error={error} />
    </>
  )
}

function About({ form, error }: ActionFieldsProps) {
  const { value, change } = form
  return (
    <Card>
      <CardHeading title={t('build.actions.what')} />
      <div className="grid gap-5 sm:grid-cols-2">
        <Field
          label={t('build.actions.name')}
          hint={t('build.actions.nameHint')}
          error={error?.issueOf('name')}
        >
          <Input
            required
            maxLength={64}
            pattern="[a-zA-Z][a-zA-Z0-9_\-]*"
            placeholder="get_order"
            className="font-mono text-[0.8125rem]"
            value={value.name}
            onChange={(event) => change({ name: event.currentTarget.value })}
          />
        </Field>
        <Field label={t('build.actions.title2')} hint={t('build.actions.titleHint')}>
          <Input
            maxLength={200}
            value={value.title}
            onChange={(event) => change({ title: event.currentTarget.value })}
          />
        </Field>
        <Field
          className="sm:col-span-2"
          label={t('build.actions.description')}
          hint={t('build.actions.descriptionHint')}
          error={error?.issueOf('description')}
        >
          <TextArea
            required
            rows={3}
            maxLength={4000}
            placeholder={t('build.actions.descriptionPlaceholder')}
            value={value.description}
            onChange={(event) => change({ description: event.currentTarget.value })}
          />
        </Field>
      </div>
    </Card>
  )
}

function Request({ form, error }: ActionFieldsProps) {
  const { value, change } = form
  return (
    <Card>
      <CardHeading title={t('build.actions.request')} />
      <div className="grid gap-5 sm:grid-cols-[8rem_1fr]">
        <Field label={t('build.actions.method')}>
          <Select
            choices={methods.map((method) => ({ value: method, label: method }))}
            value={value.method}
            onChange={(method) => change({ method })}
          />
        </Field>
        <Field
          label={t('build.actions.url')}
          hint={t('build.actions.urlHint', { parameter: '{key}', variable: '{{var.NAME}}' })}
          error={error?.issueOf('url')}
        >
          <Input
            required
            maxLength={4000}
            spellCheck={false}
            placeholder="https://api.example.com/orders/{number}"
            className="font-mono text-[0.8125rem]"
            value={value.url}
            onChange={(event) => change({ url: event.currentTarget.value })}
          />
        </Field>
      </div>
    </Card>
  )
}

function Body({ form }: { readonly form: ActionForm }) {
  const { value, change } = form
  return (
    <Card>
      <CardHeading title={t('build.actions.body')} />
      <div className="flex flex-col gap-5">
        <Field label={t('build.actions.type')} className="sm:max-w-48">
          <Select
            choices={bodyTypes.map((one) => ({
              value: one,
              label: t(`build.actions.bodyTypes.${one}`),
            }))}
            value={value.body_type}
            onChange={(body_type) => change({ body_type })}
          />
        </Field>
        <Field
          label={t('build.actions.template')}
          hint={t('build.actions.templateHint', { example: '{{key}}' })}
        >
          <TextArea
            spellCheck={false}
            maxLength={20_000}
            className="font-mono text-[0.8125rem]"
            value={value.body_template}
            onChange={(event) => change({ body_template: event.currentTarget.value })}
          />
        </Field>
      </div>
    </Card>
  )
}

function Answer({ form, error }: ActionFieldsProps) {
  const { value, change } = form
  return (
    <Card>
      <CardHeading title={t('build.actions.answer')} />
      <div className="grid gap-5 sm:grid-cols-2">
        <Field
          label={t('build.actions.timeout')}
          hint={t('build.actions.timeoutHint')}
          error={error?.issueOf('timeout_ms')}
        >
          <Input
            type="number"
            required
            min={0.001}
            max={120}
            step="any"
            value={value.timeout_seconds}
            onChange={(event) => change({ timeout_seconds: event.currentTarget.value })}
          />
        </Field>
        <Field
          label={t('build.actions.bytes')}
          hint={t('build.actions.bytesHint')}
          error={error?.issueOf('max_response_bytes')}
        >
          <Input
            type="number"
            required
            min={0.001}
            max={5120}
            step="any"
            value={value.answer_kilobytes}
            onChange={(event) => change({ answer_kilobytes: event.currentTarget.value })}
          />
        </Field>
        <Field
          className="sm:col-span-2"
          label={t('build.actions.path')}
          hint={t('build.actions.pathHint')}
          error={error?.issueOf('response_path')}
        >
          <Input
            maxLength={500}
            spellCheck={false}
            className="font-mono text-[0.8125rem]"
            value={value.response_path}
            onChange={(event) => change({ response_path: event.currentTarget.value })}
          />
        </Field>
        <Switch
          label={t('build.actions.enabled')}
          checked={value.enabled}
          onChange={(enabled) => change({ enabled })}
        />
        <Switch
          label={t('build.actions.confirm')}
          hint={t('build.actions.confirmHint')}
          checked={value.requires_confirmation}
          onChange={(requires_confirmation) => change({ requires_confirmation })}
        />
      </div>
    </Card>
  )
}
