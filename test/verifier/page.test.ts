// Tests the page that verifies evidence in a browser: its program runs here on a stand-in of the page's elements.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { verifierPage } from '../../scripts/verifier-page.js';
import { eventually } from '../support/eventually.js';
import { Sample, textOf } from './support/sample-evidence.js';

const page = readFileSync(new URL('../../verifier/index.html', import.meta.url), 'utf8');
const [, program = ''] = /<script type="module">([\s\S]*)<\/script>/.exec(page) ?? [];
const [, prompt = ''] = /id="verdict" role="status">([^<]+)</.exec(page) ?? [];
const sample = new Sample();

type Listener = (event: object) => unknown;

/** An element of the page, or the page itself. */
class Stub {
  value = '';
  textContent = '';
  className = '';
  files: readonly object[] = [];
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
  elementOf('verdict').textContent = prompt;
  const document = Object.assign(new Stub(), { getElementById: elementOf });
  runInNewContext(program, { document, crypto, TextEncoder, TextDecoder, btoa, atob, Uint8Array });
  return { document, elementOf };
};

const fileOf = (text: string, name = 'evidence.json') => ({
  name,
  arrayBuffer: async () => new TextEncoder().encode(text),
});
const dropOf = (...files: readonly object[]) => ({ dataTransfer: { files } });

/** Drops a file on the page after the key was entered. Returns the verdict, its class, and the details. */
const dropped = async (text: string, { witnesses = '' } = {}) => {
  const { document, elementOf } = opened();
  elementOf('key').value = `${sample.log.signer.verifierKey()}\n`;
  elementOf('witnesses').value = witnesses;
  await document.send('drop', dropOf(fileOf(text)));
  const { textContent: verdict, className } = elementOf('verdict');
  return { verdict, className, details: elementOf('details').textContent };
};

describe('the page of the verifier', () => {
  it('is made from the verifier: npm run verifier:page', () => expect(page).toBe(verifierPage()));

  it('has the SHA-256 that docs/auditing.md names', () => {
    const auditing = readFileSync(new URL('../../docs/auditing.md', import.meta.url), 'utf8');
    expect(auditing).toContain(`\`${createHash('sha256').update(page).digest('hex')}\``);
  });

  it('is one file that loads and sends nothing', () => {
    expect(page).toContain(`content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline';`);
    expect(page).not.toMatch(/\bimport\b|\bsrc=|\bhref=|@import|\burl\(|fetch\(|https?:/);
  });

  it('shows that evidence is verified, and its history', async () => {
    const shown = await dropped(textOf(sample.evidence()), { witnesses: `${sample.witness.verifierKey()}\n\n` });
    const verdict = expect.stringMatching(/^VERIFIED UP TO REVISION 5: .* no later event of the user/);
    expect(shown).toMatchObject({ className: 'partly', verdict });
    expect(shown.details).toMatch(/^file: evidence\.json\n[\s\S]*Ana Souza[\s\S]*UserProfileApproved/);
  });

  it('shows that evidence is verified without a reservation if the next event is in the file', async () => {
    const verdict = expect.stringMatching(/^VERIFIED: .* revision \d; the next event is of/);
    expect(await dropped(textOf(sample.evidenceUntil(3)))).toMatchObject({ className: 'verified', verdict });
  });

  it.each([
    ['an altered file', textOf({ ...sample.evidence(), events: [] }), /^NOT VERIFIED: the user /],
    ['a file that is no evidence', '{', /^NOT VERIFIED: a file or an argument cannot be read: /],
  ])('shows that %s is not verified', async (_, text, verdict) => {
    expect(await dropped(text)).toMatchObject({ className: 'refuted', verdict: expect.stringMatching(verdict) });
  });

  it('verifies again if a key changes', async () => {
    const { document, elementOf } = opened();
    await document.send('drop', dropOf(fileOf(textOf(sample.evidence()))));
    expect(elementOf('verdict').textContent).toBe(prompt);
    elementOf('key').value = 'x';
    await elementOf('key').send('input');
    expect(elementOf('verdict').className).toBe('refuted');
    elementOf('key').value = sample.log.signer.verifierKey();
    void elementOf('key').send('input');
    await eventually(async () => expect(elementOf('verdict').className).toBe('partly'));
  });
});

/** Returns a page that shows that evidence is verified, and a function that returns what the page shows. */
const verified = async () => {
  const { document, elementOf } = opened();
  const shown = () => {
    const { textContent: verdict, className } = elementOf('verdict');
    return { verdict, className, details: elementOf('details').textContent };
  };
  elementOf('key').value = sample.log.signer.verifierKey();
  await document.send('drop', dropOf(fileOf(textOf(sample.evidence()))));
  expect(shown()).toMatchObject({ className: 'partly', details: expect.stringContaining('Ana Souza') });
  return { document, elementOf, shown };
};
const empty = { verdict: prompt, className: '', details: '' };

describe('the verdict on a file disappears', () => {
  it('if the key is cleared', async () => {
    const { elementOf, shown } = await verified();
    elementOf('key').value = ' ';
    await elementOf('key').send('input');
    expect(shown()).toEqual(empty);
  });

  it('if the choice is cancelled, or the drop has no file', async () => {
    const cancelled = await verified();
    await cancelled.elementOf('file').send('change');
    expect(cancelled.shown()).toEqual(empty);
    const dropped = await verified();
    await dropped.document.send('drop', dropOf());
    expect(dropped.shown()).toEqual(empty);
  });

  it('while another file or another key is being verified, whichever ends first', async () => {
    const { document, elementOf, shown } = await verified();
    let finish: (bytes: Uint8Array) => void = () => {};
    const bytes = new Promise<Uint8Array>((resolve) => {
      finish = resolve;
    });
    const reading = document.send('drop', dropOf({ name: 'a\nb.json', arrayBuffer: () => bytes }));
    expect(shown()).toEqual({ verdict: 'Verifying a b.json …', className: '', details: '' });
    await document.send('drop', dropOf());
    finish(new TextEncoder().encode(textOf(sample.evidence())));
    await reading;
    expect(shown()).toEqual(empty);
    await document.send('drop', dropOf(fileOf('{')));
    expect(shown().className).toBe('refuted');
    void elementOf('witnesses').send('input');
    expect(shown()).toEqual({ verdict: 'Verifying evidence.json …', className: '', details: '' });
  });

  it('if several files are dropped, of which none is verified', async () => {
    const { document, elementOf, shown } = await verified();
    const file = fileOf(textOf(sample.evidence()));
    await document.send('drop', dropOf(file, file));
    expect(shown()).toEqual({ ...empty, verdict: 'Choose one file. Of these 2, none was verified.' });
    await elementOf('key').send('input');
    expect(shown()).toEqual(empty);
  });

  it('with the name in the field, if a file is dropped', async () => {
    const { document, elementOf } = await verified();
    elementOf('file').value = 'chosen.json';
    await document.send('drop', dropOf(fileOf('{')));
    expect(elementOf('file').value).toBe('');
  });
});

it('the page shows the name of a file in one line', async () => {
  const { document, shown } = await verified();
  await document.send('drop', dropOf(fileOf('{', 'x\u2028\nVERIFIED: all\u202e')));
  expect(shown()).toMatchObject({ className: 'refuted', details: 'file: x VERIFIED: all ' });
});
