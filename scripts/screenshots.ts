// npm run screenshots: takes the pictures of the console for the documents, of people and protocols that it invents. It
// runs the built service in a temporary directory, and needs the browser of `npm run browser:install`.
import { execFileSync } from 'node:child_process';
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { signInAs } from '../test/browser/support/steps.js';
import { administratorBy } from '../test/http/support/callers.js';
import { PASSWORD } from '../test/http/support/signing-in.js';
import { Directories } from '../test/support/directory.js';
import { run } from '../test/support/process.js';
import { Server } from '../test/support/server.js';

const IMAGES = 'docs/images';
const MAX_BYTES = 600_000;
const PEOPLE = [
  ['Ana', 'Souza', 'DOCTOR_SPECIALIST', '123456', 'SP', 'Cardiology'],
  ['Bruno', 'Lima', 'NURSE', '88123', 'RJ', 'Intensive care'],
  ['Carla', 'Nogueira', 'DOCTOR_GENERALIST', '54321', 'MG', 'Family medicine'],
  ['Davi', 'Prado', 'DOCTOR_SPECIALIST', '77001', 'BA', 'Paediatrics'],
] as const;
const SCREENS = [
  { name: 'wide', width: 1_280, height: 800 },
  { name: 'narrow', width: 360, height: 740 },
] as const;

const signUp = async (server: Server): Promise<void> => {
  for (const [firstName, lastName, type, documentDoctor, documentDoctorState, description] of PEOPLE) {
    const email = `${firstName}.${lastName}@example.org`.toLowerCase();
    const profiles = [{ type, documentDoctor, documentDoctorState, specialties: [{ description }] }];
    const body = { firstName, lastName, acceptTerms: true, auth: { email, password: PASSWORD }, profiles };
    const { status } = await server.post('/auth-service/signup', body);
    if (status !== 201) throw new Error(`the sign-up of ${firstName} failed with ${status}`);
  }
};

const picture = async (page: Page, name: string): Promise<number> => {
  await page.waitForLoadState('networkidle');
  const path = join(IMAGES, `${name}.png`);
  await page.screenshot({ path, animations: 'disabled' });
  return statSync(path).size;
};

const pictures = async (server: Server): Promise<number> => {
  const { email } = await administratorBy(server, cliOf(server));
  const executablePath = process.env['CHROMIUM'] ?? execFileSync('sh', ['-c', 'command -v chromium']).toString().trim();
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  let bytes = 0;
  for (const { name, ...viewport } of SCREENS) {
    const context = await browser.newContext({ baseURL: server.url, viewport, locale: 'en', reducedMotion: 'reduce' });
    const page = await context.newPage();
    for (const path of ['sign-in', 'sign-up']) {
      await page.goto(`/console/${path}`);
      bytes += await picture(page, `${path}-${name}`);
    }
    await signInAs(page, email);
    bytes += await picture(page, `start-${name}`);
    await page.goto('/console/approvals');
    await page.locator('a.item').first().click();
    bytes += await picture(page, `approvals-${name}`);
    await page.goto('/console/account');
    bytes += await picture(page, `account-${name}`);
    await context.close();
  }
  await browser.close();
  return bytes;
};

const cliOf = (server: Server) => (command: readonly string[], input?: string) =>
  run('cli', { environment: { DATA_DIR: server.directory }, arguments: command, input });

const main = async (): Promise<void> => {
  mkdirSync(IMAGES, { recursive: true });
  const directories = new Directories();
  const server = new Server(directories.make(), { AUTH: 'required', RATE_LIMITS: 'off' });
  try {
    await server.start();
    await signUp(server);
    const bytes = await pictures(server);
    console.log(`${IMAGES}: ${bytes} bytes (at most ${MAX_BYTES})`);
    if (bytes > MAX_BYTES) process.exitCode = 1;
  } finally {
    await server.kill();
    directories.remove();
  }
};

await main();
