import { Download } from '#ui/icons.ts'
import { basePath } from '#api/base-path.ts'
import { useWorkspace } from '#api/workspace.ts'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { Button } from '#ui/button.tsx'
import { Menu, MenuItem } from '#ui/menu.tsx'

export interface ExportMenuProps {
  /** Times; the second is exclusive. */
  readonly range: { readonly from: string; readonly to: string }
}

/** Exports all messages of the period as a file, which the browser saves while it arrives. */
export function ExportMenu({ range }: ExportMenuProps) {
  const agent = useAgent()
  const workspace = useWorkspace()
  const address = (format: 'csv' | 'jsonl') => {
    const query = new URLSearchParams({ format, ...range, workspace_id: workspace.id })
    return `${basePath}/api/dashboard/agents/${agent.id}/conversations?${query}`
  }
  return (
    <Menu
      trigger={
        <Button>
          <Download aria-hidden />
          {t('analytics.filters.export')}
        </Button>
      }
    >
      <MenuItem render={<a href={address('csv')} download />}>
        {t('analytics.filters.exportCsv')}
      </MenuItem>
      <MenuItem render={<a href={address('jsonl')} download />}>
        {t('analytics.filters.exportJsonl')}
      </MenuItem>
    </Menu>
  )
}
