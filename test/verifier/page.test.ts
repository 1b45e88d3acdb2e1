// Tests the page that verifies evidence in a browser: its program runs here on a stand-in of the page's elements.
import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { verifierPage } from '../../scripts/verifier-page.js';
import { eventually } from '../support/eventually.js';
import { Sample, textOf } from './support/sample-evidence.js';

const page = readFileSync(new URL('../../verifier/index.html', import.meta.url), 'utf8');
const [, program = ''] = /<script type="module">([\s\S]*)<\/script>/.exec(page) ?? [];
const sample = new Sample();

type Listener = (event: object) => unknown;

/** An element of the page, or the page itself. */
class Stub {
  value = '';
  textContent = '';
  className = '';
  readonly #listeners = new Map<string, Listener>();

  addEventListener(type: string, listener: Listener): void {
    this.#listeners.set(type, listener);
  }

  send(type: string, event: object = {}): unknown {
    return this.#listeners.get(type)?.({ preventDefault: () => {}, ...event });
  }
}

/** Runs the program of the page. Returns its elements. */
const opened = () => {
  const elements = new Map<string, Stub>();
  const elementOf = (id: string): Stub => {
    const element = elements.get(id) ?? new Stub();
    elements.set(id, element);
    return element;
  };
  const document = Object.assign(new Stub(), { getElementById: elementOf });
  runInNewContext(program, { document, crypto, TextEncoder, TextDecoder, btoa, atob, Uint8Array });
  return { document, elementOf };
};

/** Drops a file on the page after the key was entered. Returns the verdict, its class, and the details. */
const dropped = async (text: string, { witnesses = '' } = {}) => {
  const { document, elementOf } = opened();
  elementOf('key').value = `${sample.log.signer.verifierKey()}\n`;
  elementOf('witnesses').value = witnesses;
  const file = { name: 'evidence.json', arrayBuffer: async () => new TextEncoder().encode(text) };
  await document.send('drop', { dataTransfer: { files: [file] } });
  const { textContent: verdict, className } = elementOf('verdict');
  return { verdict, className, details: elementOf('details').textContent };
};

describe('the page of the verifier', () => {
  it('is made from the verifier: npm run verifier:page', () => expect(page).toBe(verifierPage()));

  it('is one file that loads and sends nothing', () => {
    expect(page).toContain(`content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline';`);
    expect(page).not.toMatch(/\bimport\b|\bsrc=|\bhref=|@import|\burl\(|fetch\(|https?:/);
  });

  it('shows that evidence is verified, and its history', async () => {
    const shown = await dropped(textOf(sample.evidence()), { witnesses: `${sample.witness.verifierKey()}\n\n` });
    expect(shown).toMatchObject({ className: 'verified', verdict: expect.stringMatching(/^VERIFIED: .* revision 5$/) });
    expect(shown.details).toMatch(/^file: evidence\.json\n[\s\S]*Ana Souza[\s\S]*UserProfileApproved/);
  });

  it.each([
    ['an altered file', textOf({ ...sample.evidence(), events: [] }), /^NOT VERIFIED: the user /],
    ['a file that is no evidence', '{', /^NOT VERIFIED: a file or an argument cannot be read: /],
  ])('shows that %s is not verified', async (_, text, verdict) => {
    expect(await dropped(text)).toMatchObject({ className: 'refuted', verdict: expect.stringMatching(verdict) });
  });

  it('verifies again if a key changes', async () => {
    const { document, elementOf } = opened();
    const text = textOf(sample.evidence());
    const file = { name: 'evidence.json', arrayBuffer: async () => new TextEncoder().encode(text) };
    await document.send('drop', { dataTransfer: { files: [file] } });
    expect(elementOf('verdict').textContent).toBe('');
    elementOf('key').value = 'x';
    await elementOf('key').send('input');
    expect(elementOf('verdict').className).toBe('refuted');
    elementOf('key').value = sample.log.signer.verifierKey();
    void elementOf('key').send('input');
    await eventually(async () => expect(elementOf('verdict').className).toBe('verified'));
  });
});
