(* Eigenvalues of symmetric matrices of every size: Rayleigh quotients, a vector common to three eigenspaces, and Weyl's
   inequalities, of which Lipschitz bounds of eigenvalues are a case. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From mathcomp.zify Require Import zify.
From DPMatrix.matrices Require Import inner_products.
Import GRing.Theory Num.Theory Order.TTheory.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section eigenvalues.
Variable R : realFieldType.
Variable d : nat.
Implicit Types (A B Q : 'M[R]_d) (l : 'rV[R]_d) (x v : 'cV[R]_d).

Lemma frame_right Q : frame Q -> Q *m Q^T = 1%:M.
Proof. exact: mulmx1C. Qed.

Lemma frameT Q : frame Q -> frame Q^T.
Proof. by move=> /frame_right; rewrite /frame trmxK. Qed.

Lemma spectrum_symmetric Q l A : spectrum Q l A -> symmetric A.
Proof. by move=> [_ -> _]; rewrite /symmetric !trmx_mul trmxK tr_diag_mx mulmxA. Qed.

Lemma coordinate n (Q : 'M[R]_(d, n)) x i : (Q^T *m x) i 0 = dot (col i Q) x.
Proof. by rewrite mxE; apply: eq_bigr => j _; rewrite !mxE. Qed.

Lemma norm2_coordinates Q x : frame Q -> norm2 x = \sum_i dot (col i Q) x ^+ 2.
Proof.
move=> /frameT QQ; rewrite -(norm2_frame x QQ); apply: eq_bigr => i _.
by rewrite coordinate expr2.
Qed.

Lemma form_coordinates Q l A x : spectrum Q l A -> form A x = \sum_i l 0 i * dot (col i Q) x ^+ 2.
Proof.
move=> [_ -> _]; rewrite -{1}[Q]trmxK form_congruence form_diag; apply: eq_bigr => i _.
by rewrite coordinate.
Qed.

Lemma norm2_col Q i : frame Q -> norm2 (col i Q) = 1.
Proof.
move=> /matrixP/(_ i i); rewrite !mxE eqxx mulr1n => <-.
by apply: eq_bigr => j _; rewrite !mxE.
Qed.

Lemma eigenvector Q l A i : spectrum Q l A -> A *m col i Q = l 0 i *: col i Q.
Proof.
move=> [QQ AE _]; have AQ : A *m Q = Q *m diag_mx l by rewrite AE -!mulmxA QQ mulmx1.
by rewrite !colE mulmxA AQ -!colE; apply/colP => j; rewrite mul_mx_diag !mxE mulrC.
Qed.

Lemma form_eigenvector Q l A i : spectrum Q l A -> form A (col i Q) = l 0 i.
Proof. by move=> S; rewrite /form (eigenvector i S) dotZr -/(norm2 _) norm2_col ?mulr1 //; case: S. Qed.

(* Fewer than d linear conditions leave a vector. *)
Lemma common_vector (s : seq 'cV[R]_d) :
  (size s < d)%N -> exists2 x : 'cV[R]_d, x != 0 & {in s, forall v, dot v x = 0}.
Proof.
move=> small; pose M : 'M[R]_(d, size s) := \matrix_(i, j) (nth 0 s j) i 0.
have : kermx M != 0.
  by rewrite kermx_eq0 /row_free neq_ltn (leq_ltn_trans (rank_leq_col _)).
case/rowV0Pn => x /sub_kermxP xM x0; exists x^T; first by rewrite -(inj_eq trmx_inj) trmxK trmx0.
move=> v /(nthP 0) [j js <-]; move/rowP/(_ (Ordinal js)): xM; rewrite !mxE => xM.
by rewrite -[RHS]xM /dot; apply: eq_bigr => i _; rewrite !mxE mulrC.
Qed.

Definition top Q k := [seq col i Q | i <- take k (enum 'I_d)].
Definition rest Q k := [seq col i Q | i <- drop k (enum 'I_d)].

Lemma size_top Q k : (size (top Q k) <= k)%N.
Proof. by rewrite size_map size_take; case: ltnP. Qed.

Lemma size_rest Q k : size (rest Q k) = (d - k)%N.
Proof. by rewrite size_map size_drop size_enum_ord. Qed.

Lemma in_top Q k (i : 'I_d) : (i < k)%N -> col i Q \in top Q k.
Proof. by move=> ik; apply/map_f; rewrite in_take ?mem_enum // index_enum_ord. Qed.

Lemma in_rest Q k (i : 'I_d) : (k <= i)%N -> col i Q \in rest Q k.
Proof.
move=> ki; apply/map_f; have : i \in enum 'I_d by rewrite mem_enum.
by rewrite -{1}[enum _](cat_take_drop k) mem_cat in_take ?mem_enum // index_enum_ord ltnNge ki.
Qed.

(* Across the first k eigenvectors the form is at most the (k+1)-st eigenvalue; on the span of the first k + 1 at least. *)
Lemma rayleigh_below Q l A x (k : 'I_d) :
  spectrum Q l A -> {in top Q k, forall v, dot v x = 0} -> form A x <= l 0 k * norm2 x.
Proof.
move=> S x0; have [QQ _ dl] := S; rewrite (form_coordinates x S) (norm2_coordinates x QQ) mulr_sumr.
apply: ler_sum => i _; have [ik|ki] := ltnP i k; first by rewrite x0 ?in_top // expr0n !mulr0.
by rewrite ler_wpmul2r ?sqr_ge0 ?dl.
Qed.

Lemma rayleigh_above Q l A x (k : 'I_d) :
  spectrum Q l A -> {in rest Q k.+1, forall v, dot v x = 0} -> l 0 k * norm2 x <= form A x.
Proof.
move=> S x0; have [QQ _ dl] := S; rewrite (form_coordinates x S) (norm2_coordinates x QQ) mulr_sumr.
apply: ler_sum => i _; have [ki|ik] := ltnP k i; first by rewrite x0 ?in_rest // expr0n !mulr0.
by rewrite ler_wpmul2r ?sqr_ge0 ?dl.
Qed.

Lemma form_le_largest Q l A x (i0 : 'I_d) : spectrum Q l A -> val i0 = 0%N -> form A x <= l 0 i0 * norm2 x.
Proof. by move=> S i0E; apply: (rayleigh_below S) => v; rewrite i0E /top take0. Qed.

Lemma form_ge_least Q l A x (i1 : 'I_d) : spectrum Q l A -> i1.+1 = d -> l 0 i1 * norm2 x <= form A x.
Proof.
move=> S i1E; apply: (rayleigh_above S) => v.
by rewrite i1E /rest drop_oversize ?size_enum_ord.
Qed.

Theorem weyl_upper QA a A QB b B QC c (i j h : 'I_d) :
  spectrum QA a A -> spectrum QB b B -> spectrum QC c (A + B) -> (i + j)%N = h -> c 0 h <= a 0 i + b 0 j.
Proof.
move=> SA SB SC ij.
have [|x x0 common] := @common_vector (top QA i ++ top QB j ++ rest QC h.+1).
  rewrite !size_cat size_rest; have := size_top QA i; have := size_top QB j; have := ltn_ord h.
  by move: ij; lia.
have nx : 0 < norm2 x by rewrite norm2_gt0.
rewrite -(ler_pmul2r nx) mulrDl.
apply: le_trans (_ : form (A + B) x <= _).
  by apply: (rayleigh_above SC) => v vr; apply: common; rewrite !mem_cat vr !orbT.
rewrite formD ler_add //.
  by apply: (rayleigh_below SA) => v vr; apply: common; rewrite !mem_cat vr.
by apply: (rayleigh_below SB) => v vr; apply: common; rewrite !mem_cat vr !orbT.
Qed.

Theorem weyl_lower QA a A QB b B QC c (i j h : 'I_d) :
  spectrum QA a A -> spectrum QB b B -> spectrum QC c (A + B) -> (i + j)%N = (h + d.-1)%N -> a 0 i + b 0 j <= c 0 h.
Proof.
move=> SA SB SC ij; have d0 : (0 < d)%N by apply: leq_ltn_trans (ltn_ord i).
have [|x x0 common] := @common_vector (rest QA i.+1 ++ rest QB j.+1 ++ top QC h).
  rewrite !size_cat !size_rest; have := size_top QC h; have := ltn_ord i; have := ltn_ord j.
  by move: ij d0; lia.
have nx : 0 < norm2 x by rewrite norm2_gt0.
rewrite -(ler_pmul2r nx) mulrDl.
apply: le_trans (_ : form (A + B) x <= _); last first.
  by apply: (rayleigh_below SC) => v vr; apply: common; rewrite !mem_cat vr !orbT.
rewrite formD ler_add //.
  by apply: (rayleigh_above SA) => v vr; apply: common; rewrite !mem_cat vr.
by apply: (rayleigh_above SB) => v vr; apply: common; rewrite !mem_cat vr !orbT.
Qed.

End eigenvalues.
