(* The sampler under a hat of rectangles, given its tables: a word names an integer of a block, which is kept with
   probability weight over height, or opens the tail, whose proposals are kept with probabilities of their own. What is
   kept has the law of the weights. That the tables meet the conditions, and that the filters decide as the ideal
   comparison does, is outside. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions cardinality fsbigop mathcomp_extra.
From mathcomp Require Import signed reals ereal topology normedtype sequences esum exp.
From mathcomp.algebra_tactics Require Import ring.
From DPMatrix Require Import mass_functions.
Import GRing.Theory Num.Theory Order.TTheory.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section rectangles.
Variables (R : realType) (W : finType) (T : choiceType).
(* the integer that a word names, or none for a word of the tail; the height of its rectangle *)
Variables (names : W -> option T) (height : W -> R) (weight : T -> R).
Variables (tail : mass R T) (kept_in_tail : T -> R) (unit Z : R).

Definition keep (y : T) (b : bool) : option T := if b then Some y else None.
Definition proposal (word : W) : mass R (option_choiceType T) :=
  if names word is Some y then bind (coin (weight y / height word)) (fun b => ret R (keep y b))
  else bind tail (fun y => bind (coin (kept_in_tail y)) (fun b => ret R (keep y b))).
Definition attempt : mass R (option_choiceType T) :=
  bind (fun _ : W => ((#|W|%:R)^-1)%:E) proposal.

Definition naming (y : T) : nat := #|[pred w | names w == Some y]|.
Definition opening : nat := #|[pred w | names w == None]|.

Hypothesis words : (0 < #|W|)%N.
Hypothesis unit0 : 0 < unit.
Hypothesis total : 0 < Z /\ (\esum_(y in setT) (weight y)%:E = Z%:E)%E.
Hypothesis weight0 : forall y, 0 <= weight y.
Hypothesis tail_law : is_law tail.
Hypothesis probabilities : forall y, 0 <= kept_in_tail y <= 1.
Hypothesis hat : forall w y, names w = Some y -> 0 < height w /\ weight y <= height w.
(* as many words name y as its rectangle is high, in units; or it is of the tail *)
Hypothesis tables : forall y,
  [/\ (0 < naming y)%N, tail y = 0%:E & forall w, names w = Some y -> height w = (naming y)%:R * unit] \/
  naming y = 0%N /\ exists2 t : R, tail y = t%:E & opening%:R * (t * kept_in_tail y) = weight y / unit.

Lemma kept_law (q : R) (x y : T) : 0 <= q <= 1 ->
  bind (coin q) (fun b => ret R (keep x b)) (Some y) = (if x == y then q else 0)%:E.
Proof.
move=> q01; rewrite bind_coin // => [|b]; last by rewrite /ret lee_fin ler0n.
rewrite /ret /keep /=; have -> : (Some x == Some y) = (x == y) by [].
by case: eqP; rewrite /= ?mulr1n ?mulr0n ?mule1 ?mule0 ?adde0.
Qed.

Lemma esum_words (f : W -> \bar R) : (forall w, 0 <= f w)%E -> (\esum_(w in setT) f w = \sum_w f w)%E.
Proof.
move=> f0; rewrite esum_fset //; last exact: finite_finset.
rewrite fsbig_finite; last exact: finite_finset.
apply: perm_big; apply: uniq_perm; rewrite ?finmap.fset_uniq ?index_enum_uniq // => w.
rewrite in_fset_set ?mem_index_enum; last exact: finite_finset.
by rewrite in_setT.
Qed.

Lemma attempt_is_law : is_law attempt.
Proof.
have coin_keep (q : R) (x : T) : 0 <= q <= 1 -> is_law (bind (coin q) (fun b => ret R (keep x b))).
  by move=> q01; apply: bind_law; [exact: coin_law | move=> b; exact: ret_law].
apply: bind_law => [|w].
  split=> [w|]; first by rewrite lee_fin invr_ge0.
  rewrite esum_words => [|w]; last by rewrite lee_fin invr_ge0.
  by rewrite sumEFin sumr_const -[_^-1 *+ _]mulr_natr mulVf // pnatr_eq0 -lt0n.
rewrite /proposal; case e: (names w) => [y|].
  have [h0 h1] := hat e; apply: coin_keep; rewrite divr_ge0 ?(ltW h0) //= ler_pdivr_mulr // mul1r.
  by [].
by apply: bind_law => // y; exact: coin_keep.
Qed.

Lemma attempt_some (y : T) : attempt (Some y) = ((#|W|%:R * unit)^-1 * weight y)%:E.
Proof.
have tail0 x : (0 <= tail x)%E by exact: law_ge0.
have value w : proposal w (Some y) = (if names w == Some y then (weight y / height w)%:E
    else if names w is None then tail y * (kept_in_tail y)%:E else 0)%E.
  rewrite /proposal; case e: (names w) => [x|] /=.
    have [h0 h1] := hat e; rewrite kept_law; last by rewrite divr_ge0 ?(ltW h0) //= ler_pdivr_mulr // mul1r.
    have -> : (Some x == Some y) = (x == y) by [].
    by case: eqP => [->|].
  rewrite (@bind_one _ _ _ _ _ y) ?kept_law ?eqxx //; first by rewrite lee_fin; case/andP: (probabilities y).
  by move=> x xy; rewrite kept_law // (negbTE xy).
have value0 w : (0 <= proposal w (Some y))%E.
  rewrite value; case: ifP => [/eqP e|_]; first by have [h0 _] := hat e; rewrite lee_fin divr_ge0 // ltW.
  case: (names w) => [_|]; first exact: lexx.
  by apply: mule_ge0 => //; rewrite lee_fin; case/andP: (probabilities y).
rewrite /attempt /bind esum_words => [|w]; last by rewrite mule_ge0 // lee_fin invr_ge0.
have nz : #|W|%:R != 0 :> R by rewrite pnatr_eq0 -lt0n.
have [[n0 ty hy]|[n0 [t ty gy]]] := tables y.
  rewrite (eq_bigr (fun w => (if names w == Some y then (#|W|%:R)^-1 * (weight y / ((naming y)%:R * unit)) else 0)%:E)).
    rewrite sumEFin -big_mkcond sumr_const -[_ *+ #|_|]mulr_natr -/(naming y); congr EFin.
    have mz : (naming y)%:R != 0 :> R by rewrite pnatr_eq0 -lt0n.
    by field; rewrite nz mz gt_eqF.
  move=> w _; rewrite value; case: eqP => [e|_]; first by rewrite -EFinM hy.
  by case: (names w) => [_|]; rewrite ?ty ?mul0e mule0.
rewrite (eq_bigr (fun w => (if names w == None then (#|W|%:R)^-1 * (t * kept_in_tail y) else 0)%:E)); last first.
  move=> w _; rewrite value; case: eqP => [e|_].
    by have := card0_eq n0 w; rewrite inE e eqxx.
  by case: (names w) => [_|] /=; rewrite ?mule0 // ty -!EFinM.
rewrite sumEFin -big_mkcond sumr_const -[_ *+ #|_|]mulr_natr -/opening; congr EFin.
by rewrite -mulrA [X in _ * X]mulrC gy; field; rewrite nz gt_eqF.
Qed.

(* what is kept at last *)
Lemma rectangle_law : (forall y, loop attempt y = (weight y / Z)%:E) /\ is_law (loop attempt).
Proof.
have [Z0 sum] := total; apply: (rejection (c := (#|W|%:R * unit)^-1)) => //.
- exact: attempt_is_law.
- by rewrite invr_gt0 mulr_gt0 // ltr0n.
- exact: attempt_some.
Qed.
End rectangles.
