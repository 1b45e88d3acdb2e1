import { onRealSet, startEngineSet } from '../support/engine-set.js';
import { killSuite } from './kill.suite.js';
import { enginesOf } from './support/sets.js';

onRealSet('a service on the distributed engines that is killed under load', () =>
  killSuite(async () => enginesOf(await startEngineSet())),
);
