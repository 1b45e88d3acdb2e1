// Tests the variables for sign-in: their results, and the values that stop the start.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigurationError, readConfig } from '../../src/config.js';
import { temporaryDirectory } from '../support/directory.js';

describe('GOOGLE_APPLICATION_CREDENTIALS', () => {
  it('stops the start if the file is missing or invalid, without showing its content', () => {
    const file = join(temporaryDirectory(), 'key.json');
    const fault = /^GOOGLE_APPLICATION_CREDENTIALS: the file must be the JSON key of a service account/;
    expect(() => readConfig({ GOOGLE_APPLICATION_CREDENTIALS: file })).toThrow(fault);
    writeFileSync(file, '{"private_key": "canary"}');
    const read = () => readConfig({ GOOGLE_APPLICATION_CREDENTIALS: file });
    expect(read).toThrow(ConfigurationError);
    expect(read).toThrow(fault);
    expect(read).not.toThrow(/canary/);
  });
});
