import { operationTitles } from '#api/generated-titles.ts'

/** What an event of the audit log did: `create_app` is *Create agent*, `sign_in` is *Sign in*. */
export function actionTitle(action: string): string {
  const words = action.slice(action.indexOf('.') + 1).replaceAll('_', ' ')
  return operationTitles.get(action) ?? words.charAt(0).toUpperCase() + words.slice(1)
}
