import type { Agent } from '#features/agents/index.ts'
import { formatNumber } from '#texts/format.ts'
import { t } from '#texts/t.ts'

export interface SettingRow {
  readonly key: string
  readonly label: string
  /** The formatted value; empty if it is not set. */
  readonly text: string
  /** Whether the value is compared word by word. */
  readonly isProse: boolean
}

/** An agent's settings in the order of the form. */
export function settingRows(agent: Agent): readonly SettingRow[] {
  const { retrieval } = agent
  const prose = (key: string, label: string, text: string) => ({ key, label, text, isProse: true })
  const plain = (key: string, label: string, text: string) => ({ key, label, text, isProse: false })
  return [
    prose('system_prompt', t('build.form.prompt'), agent.system_prompt),
    plain('model', t('build.form.model'), agent.model),
    plain('fallback_models', t('build.form.fallbacks'), agent.fallback_models.join(', ')),
    plain('temperature', t('build.form.temperature'), number(agent.temperature)),
    plain('max_output_tokens', t('build.form.maxOutput'), number(agent.max_output_tokens)),
    plain('max_tool_steps', t('build.form.toolSteps'), number(agent.max_tool_steps)),
    plain(
      'retention_days',
      t('build.form.retention'),
      agent.retention_days === null
        ? t('build.form.forever')
        : t('build.form.days', { count: agent.retention_days }),
    ),
    plain(
      'allow_request_overrides',
      t('build.form.overrides'),
      agent.allow_request_overrides.map((one) => t(`build.form.override.${one}`)).join(', '),
    ),
    plain(
      'temperature_bounds',
      t('build.form.temperatureBounds'),
      bounds(agent.temperature_bounds),
    ),
    plain('top_p_bounds', t('build.form.topPBounds'), bounds(agent.top_p_bounds)),
    plain('memory', t('build.form.memory'), t(`build.form.memories.${agent.memory}`)),
    plain('memory_model', t('build.form.memoryModel'), agent.memory_model ?? ''),
    plain(
      'store_reasoning',
      t('build.form.reasoning'),
      t(agent.store_reasoning ? 'build.form.reasoningStored' : 'build.form.reasoningDropped'),
    ),
    prose('greeting', t('build.form.greeting'), agent.greeting),
    prose('suggestions', t('build.form.suggestions'), agent.suggestions.join('\n')),
    plain('mode', t('build.form.mode'), t(`build.form.modes.${retrieval.mode}`)),
    plain('top_k', t('build.form.topK'), number(retrieval.top_k)),
    plain('min_score', t('build.form.minScore'), number(retrieval.min_score)),
    plain('vector_weight', t('build.form.vectorWeight'), number(retrieval.vector_weight)),
    plain('name', t('build.form.name'), agent.name),
    prose('description', t('build.form.description'), agent.description),
  ]
}

function number(value: number | null): string {
  return value === null
    ? t('build.form.unset')
    : formatNumber(value, { maximumFractionDigits: 6, useGrouping: true })
}

function bounds(value: Agent['temperature_bounds']): string {
  if (value === null) return t('build.form.unbounded')
  return t('build.form.fromTo', { least: number(value.min), most: number(value.max) })
}
