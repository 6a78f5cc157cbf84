import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useWorkspace } from '#api/workspace.ts'

/** A link to an agent may lack its workspace: the address is put right, so that all around agrees. */
export function useFollowWorkspace(workspaceId: string | undefined): void {
  const current = useWorkspace().id
  const navigate = useNavigate()
  useEffect(() => {
    if (workspaceId === undefined || workspaceId === current) return
    void navigate({ to: '.', search: { workspace: workspaceId }, replace: true })
  }, [workspaceId, current, navigate])
}
