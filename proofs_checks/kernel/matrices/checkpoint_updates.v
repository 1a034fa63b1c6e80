(* The repaired update on a list of checkpoints, as lists: what it keeps, and that expiry and update leave the window
   covered. Used by histogram_updates.v, for sliding-window lemma-1 and lemma-10. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From mathcomp.zify Require Import zify.
From DPMatrix.matrices Require Import inner_products spectral_histogram.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Lemma consecutive_suffix P p s : consecutive P (p ++ s) -> consecutive P s.
Proof. by elim: p => //= x p IH [_ /IH]. Qed.

Lemma consecutive_sub (P P' : nat -> nat -> Prop) s :
  {in s &, forall x y, P x y -> P' x y} -> consecutive P s -> consecutive P' s.
Proof.
elim: s => //= x s IH sub [xs /IH cs]; split; last first.
  by apply: cs => y z ys zs; apply: sub; rewrite inE ?ys ?zs orbT.
by case: s sub xs {IH cs} => // y s sub; apply: sub; rewrite !inE eqxx ?orbT.
Qed.

Lemma consecutive_rcons (P : nat -> nat -> Prop) x s t :
  consecutive P (x :: s) -> P (last x s) t -> consecutive P (rcons (x :: s) t).
Proof.
elim: s x => [|y s IH] x; first by move=> _ /=.
by move=> [xy ys] yt; split=> //; apply: IH.
Qed.

Section one_update.
Variable close : nat -> nat -> bool.
Let later x (r : seq nat) := has (close x) (take (size r).-1 r).

Lemma jump_close x r : later x r ->
  exists z q p, [/\ jump close x r = z :: q, r = p ++ z :: q, close x z & ~~ later x q].
Proof.
elim: r => [|y r IH] //= yr; case: ifP => more.
  by have [z [q [p [-> -> xz nq]]]] := IH more; exists z, q, (y :: p).
exists y, r, [::]; split=> //; last by rewrite /later more.
move: yr more; rewrite /later /=; case: r {IH} => [|z r] //=.
by case/orP => // yr; rewrite yr.
Qed.

Lemma jumpP x y r :
  exists z q p, [/\ jump close x (y :: r) = z :: q, y :: r = p ++ z :: q, z = y \/ close x z & ~~ later x q].
Proof.
rewrite /=; case: ifP => [/jump_close [z [q [p [-> -> xz nq]]]]|more].
  by exists z, q, (y :: p); split=> //; right.
by exists y, r, [::]; split=> //; [left | rewrite /later more].
Qed.

Lemma size_jump x r : (size (jump close x r) <= size r)%N.
Proof.
case: r => // y r; have [z [q [p [-> -> _ _]]]] := jumpP x y r.
by rewrite size_cat leq_addl.
Qed.

Lemma thin_subseq n s : subseq (thin close n s) s.
Proof.
elim: n s => [|n IH] [|x r] //=; rewrite ?sub0seq // eqxx.
case: r => [|y r]; first by case: n {IH}.
have [z [q [p [-> -> _ _]]]] := jumpP x y r.
by apply: subseq_trans (IH _) (suffix_subseq _ _).
Qed.

Lemma thin_last n s x0 : (size s <= n)%N -> last x0 (thin close n s) = last x0 s.
Proof.
elim: n s x0 => [|n IH] [|x r] //= x0 sn; case: r sn => [|y r] sn; first by case: n {IH sn}.
have [z [q [p [-> e _ _]]]] := jumpP x y r.
have sq : (size (z :: q) <= n)%N by apply: leq_trans (sn : (size (y :: r) <= n)%N); rewrite e size_cat leq_addl.
by rewrite (IH _ _ sq) -/(last x (y :: r)) e last_cat.
Qed.

Lemma thin_consecutive (P : nat -> nat -> Prop) n s :
  {in s &, forall x z, close x z -> P x z} -> consecutive P s -> consecutive P (thin close n s).
Proof.
elim: n s => [|n IH] [|x r] //= sub [xr cr]; case: r sub xr cr => [|y r] sub xr cr; first by case: n {IH}.
have [z [q [p [-> e zP _]]]] := jumpP x y r.
have qs : {subset z :: q <= x :: y :: r} by move=> t tq; rewrite inE e mem_cat tq !orbT.
split; last first.
  apply: IH; last by apply: (@consecutive_suffix _ p); rewrite -e.
  by move=> t u tq uq; apply: sub; apply: qs.
case: n {IH} => //= n; case: zP => [->|] //; apply: sub; first exact: mem_head.
by apply: qs; exact: mem_head.
Qed.

Lemma thin_apart n s : (size s <= n)%N -> next_but_one (fun x z => ~ close x z) (thin close n s).
Proof.
elim: n s => [|n IH] [|x r] //= sn; split; last by apply: IH; apply: leq_trans (size_jump _ _) sn.
case: r sn => [|y r] sn; first by case: n {IH sn}.
have [z [q [p [-> e _ notlater]]]] := jumpP x y r.
case: n {IH sn} => //= n; case: q notlater {e} => [|y' q] notlater; first by case: n.
have [w [q' [p' [-> e _ _]]]] := jumpP z y' q.
case: n => //= n; case: q' e => [|v q'] e; first by case: n.
case: (thin _ _ _) => // _ _; apply/negP; move: notlater; rewrite /later e => /hasPn; apply.
by rewrite size_cat /= addnS /= take_cat ltnNge leq_addr /= addKn mem_cat inE eqxx orbT.
Qed.

Lemma update_covers W T s : sorted ltn s -> covers W T s -> covers W T (update close s).
Proof.
case: s => [|t1 [|t2 s]] // ord /andP[t1s st2].
rewrite /update -[size _]/(size s).+2 -[thin _ _ _]/(t1 :: thin close (size s).+1 (jump close t1 (t2 :: s))).
have [z [q [p [-> e _ _]]]] := jumpP t1 t2 s.
rewrite /= t1s (leq_trans st2) //; move: ord => /= /andP[_]; rewrite (path_sortedE ltn_trans) => /andP[/allP all2 _].
have : z \in t2 :: s by rewrite e mem_cat mem_head orbT.
by rewrite inE => /orP[/eqP -> //|/all2 /ltnW].
Qed.
End one_update.

Lemma start_next W T : (0 < W)%N -> start W T.+1 = maxn 1 (T.+2 - W).
Proof. by []. Qed.

Lemma expire_covers W T s : (0 < W)%N -> (0 < T)%N -> in_order T s -> covers W T s ->
  covers W T.+1 (expire W T.+1 (rcons s T.+1)).
Proof.
move=> W0 T0 /andP[ord /allP rng]; rewrite /start.
case: s ord rng => [|t1 [|t2 s]] //= ord rng cov.
  case: ifP => e /=; rewrite /start; move: cov; rewrite /start; lia.
move: cov; rewrite /start => /andP[lo hi].
case: ifP => e; last by rewrite /= /start; apply/andP; lia.
have t3 t : t \in rcons s T.+1 -> (t2 < t)%N.
  rewrite mem_rcons inE => /orP[/eqP ->|ts].
    by have := rng t2; rewrite !inE eqxx orbT ltnS => /(_ isT) /andP[].
  move: ord => /andP[_]; rewrite (path_sortedE ltn_trans) => /andP[/allP/(_ t ts) + _]; exact.
case: (rcons s T.+1) t3 (size_rcons s T.+1) => // t r /(_ t (mem_head _ _)) t2t _ /=.
by rewrite /start; apply/andP; lia.
Qed.

Lemma expire_suffix W T s : exists p, s = p ++ expire W T s.
Proof.
case: s => [|x [|y s]] /=; [by exists [::] | by exists [::] |].
by case: ifP => _; [exists [:: x] | exists [::]].
Qed.
