import type { OutputOf } from '#api/call-operation.ts'
import { t } from '#texts/t.ts'
import { notify } from '#ui/toast.tsx'

type Needs = OutputOf<'import_app'>['needs']

/** That an agent was made of another, and what does not travel with one: it is to be set here. */
export function tellNeeds(title: string, needs: Needs): void {
  if (needs.length === 0) return void notify({ title })
  const list = needs.map(({ kind, name }) => `${kind} ${name}`).join(', ')
  notify({ title, description: t('agents.needs', { list }), milliseconds: 20_000 })
}
