import { Link } from '@tanstack/react-router'
import { AudioLines, Eye, Wrench } from '#ui/icons.ts'
import { useOperation } from '#api/use-operation.ts'
import type { ItemOf } from '#api/call-operation.ts'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { Field } from '#ui/field.tsx'
import { SuggestInput } from '#ui/suggest-input.tsx'
import { Badge } from '#ui/surfaces.tsx'
import { isInside } from '../is-inside.ts'
import type { AgentForm } from './use-agent-form.ts'

type Model = ItemOf<'list_models'>

/** The listed models, grouped by provider. Other models can be typed. */
export function ModelField({ form }: { readonly form: AgentForm }) {
  const { workspace_id, model, model_valid } = useAgent()
  const models = useOperation('list_models', { workspace_id, limit: 100 })
  const items = models.data?.items ?? []
  const typed = form.value.model.trim()
  const invalid = !model_valid && typed === model ? t('build.form.modelInvalid') : undefined
  const chosen = items.find(({ id }) => id === typed)
  return (
    <div className="flex flex-col gap-2">
      <Field
        label={t('build.form.model')}
        hint={t('build.form.modelHint')}
        error={form.problem?.issueOf('model') ?? invalid}
      >
        <SuggestInput
          required
          maxLength={200}
          value={form.value.model}
          onChange={(model) => form.change({ model })}
          openLabel={t('build.form.modelAll')}
          groups={byProvider(items)}
        />
      </Field>
      <div className="flex flex-wrap gap-1.5 empty:hidden">
        {chosen !== undefined && <Abilities model={chosen} />}
      </div>
      {isInside(typed) && <OfParleyItself />}
      {models.data !== undefined &&
        chosen === undefined &&
        typed !== '' &&
        invalid === undefined && (
          <p className="text-[0.8125rem] text-soft">{t('build.form.modelNone')}</p>
        )}
      {models.data?.problems.map(({ provider, message }) => (
        <p key={provider} className="text-[0.8125rem] text-warn">
          {t('build.form.modelProblem', { provider, message })}
        </p>
      ))}
    </div>
  )
}

/** This model only quotes: a link leads to the providers whose models write sentences. */
function OfParleyItself() {
  return (
    <p className="text-[0.8125rem] text-soft">
      {t('build.form.modelLocal')}{' '}
      <Link to="/settings/providers" className="text-accent underline">
        {t('build.form.modelSetUp')}
      </Link>
    </p>
  )
}

function byProvider(models: readonly Model[]) {
  const providers = [...new Set(models.map(({ provider }) => provider))]
  return providers.map((provider) => ({
    label: provider,
    items: models
      .filter((model) => model.provider === provider)
      .map((model) => ({ value: model.id, aside: <Abilities model={model} /> })),
  }))
}

function Abilities({ model }: { readonly model: Model }) {
  return (
    <>
      {model.default && <Badge tone="accent">{t('build.form.modelDefault')}</Badge>}
      {model.vision && (
        <Badge>
          <Eye className="size-3" aria-hidden />
          {t('build.form.modelSees')}
        </Badge>
      )}
      {model.audio && (
        <Badge>
          <AudioLines className="size-3" aria-hidden />
          {t('build.form.modelHears')}
        </Badge>
      )}
      {model.tools && (
        <Badge>
          <Wrench className="size-3" aria-hidden />
          {t('build.form.modelActs')}
        </Badge>
      )}
    </>
  )
}
