// Tests the page of the verifier as the service sends it: its program runs under the policy of the response.
import { expect, it } from 'vitest';
import { serverOfThisFile } from '../support/service-of-file.js';
import { Sample, textOf } from '../verifier/support/sample-evidence.js';
import { inBrowser, windowsOf } from './support/browser.js';

inBrowser('the page of the verifier in a browser', () => {
  const open = windowsOf(serverOfThisFile());
  const sample = new Sample();

  it.each([
    { what: 'evidence whose end is proved', text: textOf(sample.evidenceUntil(3)), className: 'verified' },
    { what: 'evidence whose end is not proved', text: textOf(sample.evidence()), className: 'partly' },
    { what: 'altered evidence', text: textOf({ ...sample.evidence(), events: [] }), className: 'refuted' },
  ])('shows the verdict on $what', async ({ text, className }) => {
    const { page } = await open();
    await page.goto('/verifier');
    await page.getByLabel('Verifier key of the log').fill(sample.log.signer.verifierKey());
    await page
      .getByLabel('Evidence: choose the file')
      .setInputFiles({ name: 'evidence.json', mimeType: 'application/json', buffer: Buffer.from(text) });
    await page.locator(`#verdict.${className}`).waitFor();
    expect(await page.getByRole('status').textContent()).toMatch(/VERIFIED/);
  });
});
