// Runs before every test file (setupFiles in vitest.config.ts), even if files share their modules.
import { afterAll } from 'vitest';
import { directoriesOfFile } from './directory.js';

afterAll(() => directoriesOfFile.remove());
