import { mkdirSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { defaultNodeDatadir, describeMisspelt, readSettings, settingNames } from '#root/config.ts'
import { coinstrata, temporaryFolder } from '#test/support/program.ts'

const folder = temporaryFolder('settings')
afterAll(() => rmSync(folder, { recursive: true }))

describe('settings', () => {
  test('take an empty variable for one that is not set', () => {
    const names = Object.keys(readSettings({}, {}))
    expect(names).toContain('SIMULATED_SEED')
    const empty = Object.fromEntries([...names, 'METRICS_PORT', 'PUBLIC_URL'].map((name) => [name, '']))
    expect(readSettings({}, empty)).toEqual(readSettings({}, {}))
    const { DATA_DIR, PORT, METRICS_PORT, HOST, LOG_LEVEL } = readSettings({}, empty)
    expect(DATA_DIR).toBe(path.resolve('data'))
    expect([PORT, METRICS_PORT, HOST, LOG_LEVEL]).toEqual([3000, undefined, '127.0.0.1', 'info'])
  })

  test('look for a node where Bitcoin Core keeps its data on each system', () => {
    const roaming = path.join(folder, 'Roaming')
    const variables = { HOME: '/home/me', APPDATA: roaming, LOCALAPPDATA: path.join(folder, 'Local') }
    expect(defaultNodeDatadir(variables, 'linux')).toBe('/home/me/.bitcoin')
    expect(defaultNodeDatadir(variables, 'darwin')).toBe('/home/me/Library/Application Support/Bitcoin')
    expect(defaultNodeDatadir(variables, 'win32')).toBe(path.join(folder, 'Local', 'Bitcoin'))
    mkdirSync(path.join(roaming, 'Bitcoin'), { recursive: true })
    expect(defaultNodeDatadir(variables, 'win32')).toBe(path.join(roaming, 'Bitcoin'))
  })

  test('replace ~ by the home folder, as a shell does', () => {
    const { DATA_DIR, BITCOIN_DATADIR } = readSettings({ DATA_DIR: '~/date=2024-05-05' }, { BITCOIN_DATADIR: '~' })
    expect([DATA_DIR, BITCOIN_DATADIR]).toEqual([path.join(os.homedir(), 'date=2024-05-05'), os.homedir()])
    expect(() => readSettings({ DATA_DIR: '~ann/data' }, {})).toThrow(
      "must be a whole path, or begin with ~/; it is '~ann",
    )
    expect(readSettings({ DATA_DIR: '/a/~b' }, {}).DATA_DIR).toBe('/a/~b')
  })

  test.each([
    ['DATA_DIR', '/srv/data\r'],
    ['DATA_DIR', '/srv/data '],
    ['BITCOIN_RPC_URL', ' http://127.0.0.1:8332'],
    ['BITCOIN_RPC_PASSWORD', 'hunter2\r'],
    ['BITCOIN_DATADIR', '/srv/\nnode'],
  ])('refuse what nobody sees: %s is %j', (name, text) => {
    const read = (): unknown => readSettings({}, { [name]: text })
    expect(read).toThrow(`${name}: must have no blanks around it and no line ends in it`)
    expect(read).not.toThrow('hunter2')
  })

  test('refuse a data folder that is too deep for its databases', () => {
    const deep = (length: number): string =>
      `/${'d'.repeat(199)}`
        .repeat(2)
        .slice(0, length - 1)
        .concat('x')
    expect(readSettings({}, { DATA_DIR: deep(400) }).DATA_DIR).toHaveLength(400)
    expect(() => readSettings({}, { DATA_DIR: `${deep(400)}é` })).toThrow(/DATA_DIR: the path .* is too long/)
  })

  test.each(['/srv/a*', '/srv/a?b/data', '/srv/[x]'])('refuse a data folder that is a pattern: %s', (dataDir) => {
    expect(() => readSettings({ DATA_DIR: dataDir }, {})).toThrow('has one of the signs * ? [')
  })

  test('a password keeps its blanks', () => {
    expect(readSettings({}, { BITCOIN_RPC_PASSWORD: ' a b ' }).BITCOIN_RPC_PASSWORD).toBe(' a b ')
  })

  test('prefer a flag to the environment', () => {
    expect(readSettings({ PORT: '0', HOST: undefined }, { PORT: '5', HOST: '::1' })).toMatchObject({
      PORT: 0,
      HOST: '::1',
    })
  })

  test.each([
    ['PORT', 'abc', "PORT: Invalid input: expected number; it is 'abc'"],
    ['PORT', '99999', "; it is '99999'"],
    ['LOG_LEVEL', 'loud', "; it is 'loud'"],
    ['MEMORY_LIMIT', '1 GB', "MEMORY_LIMIT: must look like 1GB or 800MB; it is '1 GB'"],
  ])('show what %s was given', (name, text, message) => {
    expect(() => readSettings({}, { [name]: text })).toThrow(message)
  })

  test('allow prices of the chain only as an experiment', () => {
    const onchain = { PRICE_SOURCE: 'onchain' }
    expect(() => readSettings({}, onchain)).toThrow('PRICE_SOURCE=onchain is experimental')
    expect(readSettings({ EXPERIMENTAL: 'on' }, onchain)).toMatchObject({ PRICE_SOURCE: 'onchain' })
    const all = { ...onchain, EXPERIMENTAL: 'on', ADDRESSES: 'all' }
    expect(() => readSettings({}, all)).toThrow('cannot be combined with ADDRESSES=all')
  })

  test('read the day and price from which the chain is followed', () => {
    const { PRICE_ANCHOR } = readSettings({}, { PRICE_ANCHOR: '2020-01-02:7000.5' })
    expect(PRICE_ANCHOR).toEqual({ day: 18_263, price: 7000.5 })
    for (const text of [
      '2020-01-02',
      '2020-13-02:7000',
      '2020-01-02:-1',
      '2020-01-02:0',
      '7000',
      '1969-01-01:5',
      '2020-02-30:7000',
    ])
      expect(() => readSettings({}, { PRICE_ANCHOR: text })).toThrow('PRICE_ANCHOR: must be a day and its price')
  })

  test.each([
    ['TOOL_SERVER_SECRET', 'hunter2'],
    ['DATABASE_URL', 'mysql://ann:hunter2'],
    ['MAIL_URL', 'http://ann:hunter2'],
    ['MAIL_URL', 'smtp://ann:hunter2@:99999'],
    ['PUBLIC_URL', 'https://me:hunter2@example.com'],
  ])('never show %s', (name, text) => {
    expect(() => readSettings({}, { [name]: text })).toThrow(name)
    expect(() => readSettings({}, { [name]: text })).not.toThrow('hunter2')
  })

  test.each([
    ['BITCOIN_NETWROK', 'BITCOIN_NETWORK'],
    ['BITCOIN_DATA_DIR', 'BITCOIN_DATADIR'],
    ['BITCOIN_RPCPASSWORD', 'BITCOIN_RPC_PASSWORD'],
    ['DATADIR', 'DATA_DIR'],
    ['UPDATE_SHEDULE', 'UPDATE_SCHEDULE'],
    ['COINSTRATA_APIKEY', 'COINSTRATA_API_KEY'],
    ['FOLOW', 'FOLLOW'],
  ])('warn of %s, which is probably %s', async (name, meant) => {
    const message = `${name} is no setting and has no effect: did you mean ${meant}?`
    expect(describeMisspelt({ [name]: 'any' })).toEqual([message])
    const options = { environment: { [name]: 'any', DATA_DIR: path.join(folder, 'none') } }
    expect((await coinstrata(['compute'], options)).stderr).toContain(`WARN: ${message}\n`)
    const { stdout } = await coinstrata(['doctor', '--port', '0'], options)
    expect(stdout).toContain(`problem  settings       ${message}\n`)
  })

  test('leave ordinary environment variables alone', () => {
    const ordinary = `PATH HOME HOST HOSTNAME HOSTS PORT PORTS POST LOG LOGNAME LOGS LOG_DIR LOG_FILE LANG LC_ALL SHELL SHLVL
      USER PWD OLDPWD TERM TZ MAIL EDITOR PAGER DISPLAY TMPDIR NODE_ENV NODE_OPTIONS NODE_VERSION NPM_CONFIG_CACHE CI
      DATA DATADOG_API_KEY DATABASE DATABASE_NAME DB_URL DB_HOST DB_PORT XDG_DATA_DIRS XDG_DATA_HOME SMTP_HOST SMTP_PORT
      TCP_HOST UDP_PORT MQTT_HOST MY_HOST MY_PORT HTTP_PROXY HTTPS_PROXY NO_PROXY PROXY PUBLIC_IP BASE_URL API_KEY API_URL
      REDIS_HOST REDIS_PORT REDIS_PASSWORD MEMORY MEMORY_MAX ACCESS_KEY ACCESS_LOG LAKES PRICE WORKER_ID WEB_CONCURRENCY
      BITCOIN_IP BITCOIN_P2P_PORT BITCOIN_RPC_PORT BITCOIN_RPC_HOST BITCOIN_VERSION BITCOIND APP_BITCOIN_NETWORK
      AWS_REGION AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY INVOCATION_ID JOURNAL_STREAM SYSTEMD_EXEC_PID NOTIFY_SOCKET
      KUBERNETES_SERVICE_HOST KUBERNETES_PORT GITHUB_TOKEN SSH_AUTH_SOCK SSH_TTY SUDO_USER MANPATH MAX_PATH PULL_REQUEST`
    const environment = Object.fromEntries([...ordinary.split(/\s+/), ...settingNames].map((name) => [name, 'any']))
    expect(describeMisspelt({ ...process.env, ...environment, Host_: 'any', data_dirs: 'any' })).toEqual([])
  })

  test.each([
    ['--data-dir', 'status'],
    ['--datadir', 'update'],
    ['--port', 'start'],
  ])('refuse an empty %s', async (flag, command) => {
    const { exitCode, stderr } = await coinstrata([command, flag, ''], { environment: { DATA_DIR: folder } })
    expect(stderr).toContain(`${flag} is empty [invalid_argument]\nWhat to do: give ${flag} a value`)
    expect(exitCode).toBe(2)
  })

  test('are described by --help as in docs/settings.md', async () => {
    const { stdout } = await coinstrata(['start', '--help'])
    const words = stdout.replaceAll(/\s+/g, ' ')
    expect(words).toContain(
      '--network <name> network of the node: mainnet, testnet3, testnet4, signet or regtest; main and test, as Bitcoin Core calls the first two, mean the same (default mainnet) [BITCOIN_NETWORK]',
    )
    expect(words).toContain(
      "--datadir <folder> the node's data directory; by default that of Bitcoin Core on this system, such as ~/.bitcoin, if it exists [BITCOIN_DATADIR]",
    )
  })
})
