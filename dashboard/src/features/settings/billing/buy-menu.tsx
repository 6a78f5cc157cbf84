import { ChevronDown } from '#ui/icons.ts'
import type { InputOf } from '#api/call-operation.ts'
import { useOperationMutation } from '#api/use-operation.ts'
import { useWorkspace } from '#api/workspace.ts'
import { notifyError } from '#components/notify-error.ts'
import { Button } from '#ui/button.tsx'
import { Menu, MenuItem } from '#ui/menu.tsx'

export interface BuyMenuProps {
  readonly label: string
  readonly items: readonly {
    readonly label: string
    readonly input: Pick<InputOf<'start_checkout'>, 'plan' | 'credits'>
  }[]
}

/** The offers. Choosing one opens the payment provider's page. */
export function BuyMenu({ label, items }: BuyMenuProps) {
  const workspace = useWorkspace()
  const start = useOperationMutation('start_checkout', {
    onSuccess: ({ url }) => location.assign(url),
  })
  return (
    <Menu
      trigger={
        <Button look="primary" busy={start.isPending}>
          {label}
          <ChevronDown aria-hidden />
        </Button>
      }
    >
      {items.map((item) => (
        <MenuItem
          key={item.label}
          onSelect={() =>
            start.mutate({ ...item.input, workspace_id: workspace.id }, { onError: notifyError })
          }
        >
          {item.label}
        </MenuItem>
      ))}
    </Menu>
  )
}
