import { CoinstrataError } from '#base/errors.ts'

export const auditFailed = (what: string): CoinstrataError =>
  new CoinstrataError('audit_failed', `the audit failed: ${what}`, {
    cure:
      'run "coinstrata update", which looks for damaged blocks and reads them again; if it fails again, remove the folder ' +
      'raw/segments in the data folder, run it once more, and please report it with this message',
  })
