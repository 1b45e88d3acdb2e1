// Opens the console in Chromium. Any fault that the browser reports fails the test that opened the window.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type ConsoleMessage,
  chromium,
  type Page,
} from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../support/directory.js';

const found = (): string | undefined => {
  try {
    return execFileSync('sh', ['-c', 'command -v chromium']).toString().trim();
  } catch {
    return undefined;
  }
};

const executablePath = process.env['CHROMIUM'] ?? found();

/** Declares tests that need a browser. If none is installed, declares one skipped test with the reason. */
export const inBrowser = (name: string, declare: () => void): void => {
  if (executablePath !== undefined) describe(name, declare);
  else it(name, ({ skip }) => skip('Chromium is not installed: npm run browser:install'));
};

export interface WindowOptions {
  readonly width?: number;
  readonly theme?: 'light' | 'dark';
  readonly language?: 'en' | 'pt-BR';
  /** Opens the service by a host name over plain http, as in an intranet. Browsers withhold some functions there. */
  readonly isByHostName?: boolean;
  /** Blocks all cookies, and with them every storage, as a reader can in the settings of the browser. */
  readonly blocksCookies?: boolean;
  /** Runs in each page before its own scripts. */
  readonly before?: string;
}

/** A window of the browser, with cookies of its own. */
export interface Window {
  readonly page: Page;
  /** Opens another tab, which shares the cookies. */
  readonly newTab: () => Promise<Page>;
  /** From now on, expects that requests fail, because the test stops the service or cuts the connection. */
  readonly expectLostConnections: () => void;
  /** From now on, expects that scripts do not load or do not run. */
  readonly expectLostScripts: () => void;
}

const HOST_NAME = 'protocols.clinic.example';
const LAUNCH = {
  executablePath: executablePath ?? '',
  args: ['--no-sandbox', `--host-resolver-rules=MAP ${HOST_NAME} 127.0.0.1`],
};

// The browser itself reports each refusal. Pages show refusals to the reader, so they are no faults.
const REFUSAL = /^Failed to load resource: the server responded with a status of 4\d\d/;
// Browsers ignore this header over plain http, and say so.
const IGNORED_OVER_HTTP = /^The Cross-Origin-Opener-Policy header has been ignored/;
// What the browser says about a module that it did not get, or that is no script.
const LOST_SCRIPT =
  /^Failed to load module script|^SyntaxError|^TypeError: Failed to fetch dynamically imported module/;
const LOST = /^Failed to load resource: (net::ERR_|the server responded with a status of 5\d\d)/;

/** Opens a window with a profile that blocks all cookies. */
const withoutCookies = async (settings: BrowserContextOptions): Promise<BrowserContext> => {
  const profile = temporaryDirectory();
  mkdirSync(join(profile, 'Default'));
  const preferences = { profile: { default_content_setting_values: { cookies: 2 } } };
  writeFileSync(join(profile, 'Default', 'Preferences'), JSON.stringify(preferences));
  return chromium.launchPersistentContext(profile, { ...settings, ...LAUNCH });
};

/** Returns the function that opens windows of a service. Each test's windows close when it ends. */
export const windowsOf = (service: { readonly url: string }) => {
  let browser: Browser;
  let faults: string[];
  let opened: (() => Promise<void>)[];
  beforeAll(async () => {
    browser = await chromium.launch(LAUNCH);
  });
  afterAll(() => browser?.close());
  beforeEach(() => {
    faults = [];
    opened = [];
  });
  afterEach(async () => {
    await Promise.all(opened.map((close) => close()));
    expect(faults).toEqual([]);
  });

  return async ({
    width = 1_280,
    theme = 'light',
    language = 'en',
    isByHostName = false,
    blocksCookies = false,
    before = '',
  }: WindowOptions = {}): Promise<Window> => {
    const viewport = { width, height: width < 600 ? 740 : 900 };
    const settings = { viewport, colorScheme: theme, locale: language, reducedMotion: 'reduce' } as const;
    const baseURL = isByHostName ? service.url.replace('127.0.0.1', HOST_NAME) : service.url;
    const context = await (blocksCookies ? withoutCookies : (of: object) => browser.newContext(of))({
      baseURL,
      ...settings,
    });
    opened.push(() => context.close());
    if (before !== '') await context.addInitScript(before);
    const always = isByHostName ? [REFUSAL, IGNORED_OVER_HTTP] : [REFUSAL];
    let maySay = always;
    const onMessage = (message: ConsoleMessage) => {
      const text = message.text();
      if (message.type() === 'error' && !maySay.some((pattern) => pattern.test(text))) faults.push(text);
    };
    // Chromium reports a violation of the Content-Security-Policy as an error in the console, too.
    context.on('console', onMessage);
    context.on('weberror', (error) => {
      const text = String(error.error());
      if (!maySay.some((pattern) => pattern.test(text))) faults.push(text);
    });
    context.setDefaultTimeout(60_000);
    return {
      page: await context.newPage(),
      newTab: () => context.newPage(),
      expectLostConnections: () => {
        maySay = [...always, LOST];
      },
      expectLostScripts: () => {
        maySay = [...always, LOST, LOST_SCRIPT];
      },
    };
  };
};
