// Functions and properties that one of the oldest browsers of the console lacks: Safari 16.4, Chrome 111 and Firefox 114
// (CONTRIBUTING.md), as browser-compat-data 8.1.9 of MDN knows them. TypeScript refuses what is newer than ES2023, so these
// are what it accepts, and what a library may call.

const listed = (names: string): readonly string[] => names.trim().split(/\s+/);

/** Names that can be found in a text. The name of a member of a prototype is searched on every object. */
const newerNames = listed(`
  Array.fromAsync Array.prototype.toReversed Array.prototype.toSorted Array.prototype.toSpliced Array.prototype.with
  ArrayBuffer.prototype.resize ArrayBuffer.prototype.transfer ArrayBuffer.prototype.transferToFixedLength
  Atomics.waitAsync Date.prototype.toTemporalInstant Error.captureStackTrace Error.isError Float16Array
  Intl.DurationFormat Intl.Segmenter Intl.Locale.prototype.getTextInfo Intl.Locale.prototype.getTimeZones
  Intl.Locale.prototype.getWeekInfo Intl.NumberFormat.prototype.formatRange Intl.PluralRules.prototype.selectRange
  Iterator JSON.isRawJSON JSON.rawJSON Map.groupBy Map.prototype.getOrInsert Map.prototype.getOrInsertComputed
  Math.f16round Math.sumPrecise Object.groupBy Promise.try Promise.withResolvers RegExp.escape
  RegExp.prototype.unicodeSets Set.prototype.difference Set.prototype.intersection Set.prototype.isDisjointFrom
  Set.prototype.isSubsetOf Set.prototype.isSupersetOf Set.prototype.symmetricDifference Set.prototype.union
  String.prototype.isWellFormed String.prototype.toWellFormed SuppressedError Symbol.asyncDispose Symbol.dispose
  DisposableStack AsyncDisposableStack Temporal Uint8Array.fromBase64 Uint8Array.fromHex Uint8Array.prototype.toBase64
  Uint8Array.prototype.toHex WeakMap.prototype.getOrInsert

  AbortSignal.any Blob.prototype.bytes CSS.highlights CSS.registerProperty Clipboard.prototype.readText ClipboardItem
  CloseWatcher CommandEvent Document.parseHTML Document.parseHTMLUnsafe Document.prototype.caretPositionFromPoint
  Document.prototype.requestStorageAccess Document.prototype.startViewTransition Element.prototype.ariaBusy
  Element.prototype.ariaChecked Element.prototype.ariaCurrent Element.prototype.ariaDescription
  Element.prototype.ariaDisabled Element.prototype.ariaExpanded Element.prototype.ariaHidden
  Element.prototype.ariaInvalid Element.prototype.ariaLabel Element.prototype.ariaLive Element.prototype.ariaModal
  Element.prototype.ariaPressed Element.prototype.ariaSelected Element.prototype.checkVisibility
  Element.prototype.currentCSSZoom Element.prototype.getHTML Element.prototype.moveBefore Element.prototype.setHTML
  Element.prototype.setHTMLUnsafe EventCounts HTMLButtonElement.prototype.commandForElement
  HTMLButtonElement.prototype.popoverTargetElement HTMLDialogElement.prototype.closedBy
  HTMLDialogElement.prototype.requestClose HTMLElement.prototype.hidePopover HTMLElement.prototype.showPopover
  HTMLElement.prototype.togglePopover HTMLSelectElement.prototype.showPicker Headers.prototype.getSetCookie Highlight
  NavigateEvent Navigator.prototype.canShare Navigator.prototype.setAppBadge Navigator.prototype.share
  Navigator.prototype.userActivation Navigator.prototype.wakeLock PointerEvent.prototype.getCoalescedEvents
  ReadableStream.from ReportingObserver Response.json Sanitizer ScrollTimeline
  Selection.prototype.getComposedRanges StorageManager.prototype.estimate TaskController ToggleEvent URL.canParse
  URL.parse URLPattern URLSearchParams.prototype.size ViewTimeline cancelIdleCallback cookieStore navigation
  requestIdleCallback scheduler trustedTypes
`);

/** Names that older objects have, too. TypeScript refuses those of iterators. */
const commonNames = listed(`
  Iterator.prototype.drop Iterator.prototype.every Iterator.prototype.filter Iterator.prototype.find
  Iterator.prototype.flatMap Iterator.prototype.forEach Iterator.prototype.map Iterator.prototype.reduce
  Iterator.prototype.some Iterator.prototype.take Iterator.prototype.toArray ReadableStream.prototype.values
`);

/** All names, as paths from the global object. */
export const allNewerNames: readonly string[] = [...commonNames, ...newerNames];

interface AllowedName {
  readonly name: string;
  /** A file of `console/src`, or `libraries`: what the bundle takes from node_modules. */
  readonly where: string;
  readonly because: string;
}

export const allowedNames: readonly AllowedName[] = [
  { name: 'Document.prototype.startViewTransition', where: 'libraries', because: 'React and the router ask first' },
  { name: 'Navigator.prototype.share', where: 'libraries', because: 'React has a member of this name' },
  { name: 'URLSearchParams.prototype.size', where: 'libraries', because: 'maps and sets have a size' },
  { name: 'navigation', where: 'libraries', because: 'React asks first' },
];

/** Returns the pattern that finds a name in a text. */
const patternOf = (name: string): RegExp => {
  const [owner = '', member] = name.split('.prototype.');
  const path = `(?<![\\w$.-])((window|globalThis|self)\\.)?${owner.replaceAll('.', '\\.')}`;
  return new RegExp(`${member === undefined ? path : `\\.${member}`}(?![\\w$-])`);
};

/** Returns the newer names in a text. */
export const newerNamesIn = (text: string): readonly string[] =>
  newerNames.filter((name) => patternOf(name).test(text));
