import type { Config } from '#config'
import type { Database } from './db/database.ts'
import { decideMeta, readMeta } from './meta.ts'
import { createSecretKey, readSecretKey, secretKeyFile } from './secret-key.ts'
import { createVault, type Vault } from './vault.ts'

/** The secret key is not the one that sealed this database's values. */
class SecretKeyError extends Error {
  override readonly name = 'SecretKeyError'
}

/**
 * Opens the vault with the key of `SECRET_KEY`, else of the data folder. A database accepts only the
 * first key it was opened with; a new key is created only for a database without one.
 *
 * @throws SecretKeyError
 */
export async function openVault(
  config: Pick<Config, 'secretKey' | 'dataDir'>,
  db: Database,
): Promise<Vault> {
  const known = await readMeta(db.read, 'secret_key_fingerprint')
  const vault = createVault(await chooseKey(config, known !== undefined))
  const fingerprint = known ?? (await keepFingerprint(db, vault.fingerprint))
  if (fingerprint === vault.fingerprint) return vault
  const origin = config.secretKey === undefined ? secretKeyFile(config.dataDir) : 'SECRET_KEY'
  throw new SecretKeyError(
    `${origin} (fingerprint ${vault.fingerprint}) is not the key of this database (${fingerprint}): restore that key`,
  )
}

async function chooseKey(
  { secretKey, dataDir }: Pick<Config, 'secretKey' | 'dataDir'>,
  isKept: boolean,
): Promise<string> {
  const key = secretKey ?? (await readSecretKey(dataDir))
  if (key !== undefined) return key
  if (!isKept) return createSecretKey(dataDir)
  throw new SecretKeyError(
    `the secret key of this database is missing: restore ${secretKeyFile(dataDir)}, or set SECRET_KEY`,
  )
}

/** @returns the fingerprint that the database keeps: ours, or that of a faster process */
async function keepFingerprint(db: Database, fingerprint: string): Promise<string> {
  return db.write(async (tx) => {
    await decideMeta(tx, 'secret_key_fingerprint', fingerprint)
    return (await readMeta(tx, 'secret_key_fingerprint')) ?? fingerprint
  })
}
