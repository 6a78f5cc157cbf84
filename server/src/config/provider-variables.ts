import { providers } from '#platform/providers/providers.ts'
import { httpUrl, optionalText, variable } from './variable.ts'

/**
 * The variables of every model provider. Their names are not part of the type: the configuration
 * has their values under `providers`.
 */
export const providerVariables: object = Object.fromEntries(
  providers.flatMap(({ variables: { apiKey, baseUrl }, address }) => [
    ...(apiKey === undefined
      ? []
      : [[apiKey.name, variable(optionalText, apiKey.about, { secret: true })]]),
    ...(baseUrl === undefined
      ? []
      : [
          [
            baseUrl.name,
            variable(
              httpUrl.optional(),
              baseUrl.about,
              address === null ? {} : { fallback: address },
            ),
          ],
        ]),
  ]),
)
