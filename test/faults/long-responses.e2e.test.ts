import { describe } from 'vitest';
import { longResponsesSuite } from './long-responses.suite.js';
import { embeddedEngines } from './support/sets.js';

describe('on the embedded engines', () => longResponsesSuite(embeddedEngines, 1));
