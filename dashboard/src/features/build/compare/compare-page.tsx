import { useNavigate, useSearch } from '@tanstack/react-router'
import { PageHeading } from '#components/page-heading.tsx'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { Card } from '#ui/surfaces.tsx'
import { ComparedField } from './compared-field.tsx'
import { readCompared, writeCompared, type Compared } from './comparison.ts'
import { SideBySide } from './side-by-side.tsx'

/** /agents/{appId}/build/compare */
export function ComparePage() {
  const agent = useAgent()
  const navigate = useNavigate()
  const search = useSearch({ from: '/agents/$appId/build/compare' })
  const left = readCompared(search.left, { kind: 'draft' })
  const right = readCompared(search.right, { kind: 'published' })
  const choose = (next: { readonly left: Compared; readonly right: Compared }) =>
    void navigate({
      to: '/agents/$appId/build/compare',
      params: { appId: agent.app_name_id },
      search: { left: writeCompared(next.left), right: writeCompared(next.right) },
      replace: true,
    })
  return (
    <>
      <PageHeading
        title={t('build.compare.title')}
        hint={t('build.compare.hint')}
        documentTitle={`${t('build.compare.title')} · ${agent.name}`}
      />
      <Card className="flex flex-col gap-5">
        <div className="grid gap-3 sm:grid-cols-2">
          <ComparedField
            label={t('build.compare.left')}
            value={left}
            onChange={(next) => choose({ left: next, right })}
          />
          <ComparedField
            label={t('build.compare.right')}
            value={right}
            onChange={(next) => choose({ left, right: next })}
          />
        </div>
        {/* Another pair starts a new comparison. */}
        <SideBySide
          key={`${agent.id} ${writeCompared(left)} ${writeCompared(right)}`}
          sides={[left, right]}
        />
      </Card>
    </>
  )
}
